// Loop nests: planes, rows that collide in the cache, transposes.
#include "kernel_checks.hpp"
#include "layout/kernel/ready.hpp"

namespace heddle::layout::kernel::kernel_nest_test {
namespace {

class NestKernels : public KernelTest {};

/// Disjoint strides for loops with the given counts, nested in random order, with random gaps. Some
/// strides are negative.
std::vector<Bytes> strides(Random& random, const std::vector<Count>& counts, Bytes block, bool dense, bool overlap) {
  std::vector<std::size_t> order(counts.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = order.size() - 1 - i;
  if (!dense || pick(random, 0, 1)) std::shuffle(order.begin(), order.end(), random);
  std::vector<Bytes> result(counts.size());
  Bytes extent = block;
  for (std::size_t i : order) {
    Bytes stride = extent;
    if (!dense) {
      if (const auto how = pick(random, 0, 5); how == 0)
        stride += pick(random, 1, 200);
      else if (how == 1)
        stride += extent;
      else if (how == 2 && extent < 64)
        stride = (extent + 63) / 64 * 64;
      else if (how == 3 && pick(random, 0, 3) == 0 && overlap)
        stride = pick(random, 0, extent);
      else if (how == 3 && pick(random, 0, 9) == 0)
        stride = (extent + page - 1) / page * page + (pick(random, 0, 1) ? page : 0);
    }
    extent = stride * (counts[i] - 1) + extent;
    result[i] = pick(random, 0, 9) == 0 ? -stride : stride;
  }
  return result;
}

template <class Visit>
void visit(const std::vector<Dim>& dims, std::size_t level, Bytes to, Bytes from, const Visit& each) {
  if (level == dims.size()) return each(to, from);
  for (Count i = 0; i < dims[level].count; ++i)
    visit(dims, level + 1, to + i * dims[level].to, from + i * dims[level].from, each);
}

TEST_P(NestKernels, NestIsThePlainLoops) {
  seeds(600, [&](Random& random) {
    const Bytes block = any_block(random);
    std::vector<Count> counts(static_cast<std::size_t>(pick(random, 0, 4)));
    Bytes total = block;
    for (Count& count : counts) {
      const Count limit = std::max<Count>(1, (Bytes{1} << 19) / total);
      count = std::min(limit, pick(random, 0, 3) == 0 ? pick(random, 1, 400) : pick(random, 1, 40));
      total *= count;
    }
    const auto dense = pick(random, 0, 3);
    const std::vector<Bytes> to = strides(random, counts, block, dense == 0, false);
    const std::vector<Bytes> from = strides(random, counts, block, dense == 1, true);  // data to send may overlap
    std::vector<Dim> dims;
    std::string what = "block " + std::to_string(block);
    for (std::size_t i = 0; i < counts.size(); ++i) {
      dims.push_back({counts[i], to[i], from[i]});
      what += " {" + std::to_string(counts[i]) + ", " + std::to_string(to[i]) + ", " + std::to_string(from[i]) + "}";
    }
    std::vector<Range> to_ranges, from_ranges;
    visit(dims, 0, 0, 0, [&](Bytes t, Bytes f) {
      to_ranges.push_back({t, block});
      from_ranges.push_back({f, block});
    });
    const auto plain = [&](std::byte* t, const std::byte* f) {
      for (std::size_t i = 0; i < to_ranges.size(); ++i)
        std::memcpy(t + to_ranges[i].offset, f + from_ranges[i].offset, static_cast<std::size_t>(block));
    };
    check(
        random, to_ranges, from_ranges, [&](std::byte* t, const std::byte* f) { nest(t, f, dims, block); }, plain, what);
    Ready ready;
    if (!ready.make(dims, block)) {
      EXPECT_GT(counts.size(), 2U) << what;
      return;
    }
    check(
        random, to_ranges, from_ranges, [&](std::byte* t, const std::byte* f) { ready.run(t, f); }, plain, "ready: " + what);
  });
}

/// Two loops around a block, outermost first: their strides in memory and in the packed stream.
struct Rows {
  Dim outer, inner;  // `from` is memory, `to` is packed
  Bytes block;

  [[nodiscard]] Pieces pieces() const {
    Pieces result;
    visit({outer, inner}, 0, 0, 0, [&](Bytes packed, Bytes memory) {
      result.packed.push_back({packed, block});
      result.memory.push_back({memory, block});
    });
    return result;
  }
  [[nodiscard]] std::string text() const {
    return std::to_string(outer.count) + " × " + std::to_string(inner.count) + " blocks of " + std::to_string(block) +
           " every " + std::to_string(outer.from) + ", " + std::to_string(inner.from);
  }
  void pack(std::byte* to, const std::byte* from) const {
    const Dim dims[] = {outer, inner};
    nest(to, from, dims, block);
  }
  void unpack(std::byte* to, const std::byte* from) const {
    const Dim dims[] = {{outer.count, outer.from, outer.to}, {inner.count, inner.from, inner.to}};
    nest(to, from, dims, block);
  }
};

class RowKernels : public KernelTest {
 protected:
  void check_rows(Random& random, const Rows& rows) {
    check_both_ways(
        random, rows.pieces(), [&](std::byte* t, const std::byte* f) { rows.pack(t, f); },
        [&](std::byte* t, const std::byte* f) { rows.unpack(t, f); }, rows.text());
  }
};

/// Many rows, short and long, one side packed without a gap. A kernel may write past the end of a
/// row; the next row must correct that.
TEST_P(RowKernels, OfEveryBlockLengthAreThePlainLoops) {
  seeds(3, [&](Random& random) {
    for (Bytes block = 1; block <= 64; ++block)
      for (const Count count : {Count{2}, Count{3}, Count{4}, Count{5}, Count{9}, pick(random, 10, 80)}) {
        const Bytes stride = block + pick(random, 1, 2) * pick(random, 1, 150);
        const Bytes row = stride * count + pick(random, 1, 4000);
        const Bytes gap = pick(random, 0, 1) * pick(random, 1, 20);  // of the packed rows
        check_rows(random, {{pick(random, 1, 6), block * count + gap, row}, {count, block, stride}, block});
      }
  });
}

/// Small blocks close together: as many as a kernel moves at a time, and a few more.
TEST_P(RowKernels, OfManySmallBlocksAreThePlainLoops) {
  seeds(20, [&](Random& random) {
    for (Bytes block = 1; block <= 32; ++block) {
      const Count count = pick(random, 16, 120);
      const Bytes stride = block + pick(random, 1, pick(random, 0, 1) ? 4 : 100 - block);
      check_rows(random, {{pick(random, 1, 6), block * count, stride * count + 64}, {count, block, stride}, block});
    }
  });
}

/// Blocks of up to a line, and of several lines. There are as few as the second-level cache keeps,
/// or more.
TEST_P(RowKernels, ThatCollideInTheCacheAreThePlainLoops) {
  seeds(200, [&](Random& random) {
    const Bytes stride = Bytes{512} << pick(random, 0, 5);
    Bytes block = 4 * pick(random, 1, 16);
    if (pick(random, 0, 1)) block = pick(random, 0, 3) ? pick(random, 65, std::min<Bytes>(stride - 1, 600)) : Bytes{128};
    const Count count = stride <= 4096 && pick(random, 0, 5) == 0 ? pick(random, 500, 700) : pick(random, 1, 200);
    const Rows rows{{pick(random, 1, 3), block * count, stride * count + 256}, {count, block, stride}, block};
    if (pick(random, 0, 9) > 0) return check_rows(random, rows);
    Rows backwards = rows;  // rows may overlap then
    backwards.inner.from = -stride;
    check_packing(
        random, backwards.pieces(), [&](std::byte* t, const std::byte* f) { backwards.pack(t, f); }, backwards.text());
  });
}

/// A segment of a transpose: a few columns, each element in a row of its own.
TEST_P(RowKernels, AreAFewColumns) {
  seeds(3, [&](Random& random) {
    for (const Bytes block : {4, 8, 12, 16, 24, 32})
      for (Count columns = 1; columns <= 9; ++columns) {
        const Count rows = pick(random, 1, 90);
        const Bytes row = pick(random, 0, 1) ? Bytes{1024} : block * columns + pick(random, 0, 3) * 4;
        check_rows(random, {{columns, block * rows, block}, {rows, block, row}, block});
      }
  });
}

/// Squares of elements that are transposed in registers, and the rest at their rims.
TEST_P(RowKernels, AreAWholeTranspose) {
  seeds(10, [&](Random& random) {
    for (const Bytes block : {1, 2, 4, 8, 16, 24}) {
      const Count columns = pick(random, 8, 70), rows = pick(random, 8, 70);
      const Bytes row = block * columns + pick(random, 0, 1) * block * pick(random, 0, 64);
      check_rows(random, {{columns, block * rows, block}, {rows, block, row}, block});
    }
  });
}

/// More than the second-level cache holds is prefetched.
TEST_P(RowKernels, FromBeyondTheCachesAreThePlainLoops) {
  seeds(1, [&](Random& random) {
    for (const Bytes block : {3, 4, 8, 12, 16, 24, 28, 40, 64}) {
      const Bytes stride = (2 * block + 31) / 32 * 32 + pick(random, 0, 100);
      const Count count = (5 << 20) / stride;
      check_rows(random, {{1, 0, 0}, {count, block, stride}, block});
      const Count row = pick(random, 8, 300);
      check_rows(random, {{count / row, block * row, stride * row + 8}, {row, block, stride}, block});
    }
    for (const Bytes block : {1, 3, 4, 5, 8, 13}) {
      const Bytes stride = block + pick(random, 1, 4);
      check_rows(random, {{1, 0, 0}, {(5 << 20) / stride, block, stride}, block});
    }
    for (const Bytes stride : {512, 640}) {
      const Bytes block = 4 * pick(random, 1, 32);
      check_rows(random, {{1, 0, 0}, {(1 << 16) + pick(random, 0, 50), block, stride}, block});
    }
    for (const Bytes block : {4, 8, 24, 40, 64, 100}) {
      const Bytes stride = pick(random, 0, 1) ? Bytes{256} : pick(random, block + 28, 300);
      const Count lines = (1 << 16) + pick(random, 0, 50), row = pick(random, 8, 300);
      check_rows(random, {{1, 0, 0}, {lines, block, stride}, block});
      check_rows(random, {{lines / row + 1, block * row, stride * row + 8}, {row, block, stride}, block});
    }
  });
}

TEST_P(NestKernels, NestOfNothingTouchesNothing) {
  const Dim none[] = {{5, 8, 8}, {0, 8, 8}};
  nest(nullptr, nullptr, none, 8);
  const Dim some[] = {{5, 8, 8}};
  nest(nullptr, nullptr, some, 0);
}

INSTANTIATE_TEST_SUITE_P(Isa, NestKernels, every_isa(), isa_of);
INSTANTIATE_TEST_SUITE_P(Isa, RowKernels, every_isa(), isa_of);

TEST(Dispatch, TheBestIsInUse) {
  EXPECT_EQ(isa(), best_isa());
  EXPECT_TRUE(use(Isa::portable));
  EXPECT_EQ(isa(), Isa::portable);
  EXPECT_TRUE(use(best_isa()));
}

}  // namespace
}  // namespace heddle::layout::kernel::kernel_nest_test
