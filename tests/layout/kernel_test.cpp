// Every kernel, with every instruction set of this processor, against a plain loop: random shapes, guard bytes, and pages that
// must not be touched. A failure prints its seed; TEST_SEED=n runs that one alone.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "layout/kernel/ready.hpp"

namespace heddle::layout::kernel {
namespace {

constexpr Bytes page = 4096;
constexpr Bytes arena_size = 1024 * page;
constexpr Bytes guard = 2 * page;

using Random = std::mt19937_64;

std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// The bytes [offset, offset + length) from a side's base.
struct Range {
  Bytes offset, length;
};

/// A side of a copy: memory between two unreadable pages, unreadable too wherever a whole page holds no described byte.
class Arena {
 public:
  Arena() {
    void* memory = mmap(nullptr, arena_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
  }
  ~Arena() { munmap(memory_, arena_size); }
  Arena(const Arena&) = delete;

  /// Finds a base for which all ranges lie inside, at the end or start of a page or anywhere; fills with noise.
  std::byte* place(Random& random, const std::vector<Range>& ranges) {
    Bytes low = 0, high = 0;
    if (!ranges.empty()) low = ranges.front().offset, high = low;
    for (const Range& range : ranges) {
      low = std::min(low, range.offset);
      high = std::max(high, range.offset + range.length);
    }
    const Bytes room = arena_size - 2 * page - (high - low);
    if (room < 0) return nullptr;
    Bytes start = page + pick(random, 0, std::min<Bytes>(room, 2 * page));
    if (const auto how = pick(random, 0, 3); how == 0)
      start = page;
    else if (how == 1)
      start = arena_size - page - (high - low);
    else if (how == 2)
      start = start / 64 * 64;
    base_ = memory_ + start - low;
    // Only what can be reached is filled and compared: a guard on each side of the ranges.
    first_ = std::max<Bytes>(0, start - guard) / page * page;
    last_ = std::min(arena_size, (start + high - low + guard + page - 1) / page * page);
    std::uint64_t noise = random();
    for (Bytes i = first_; i < last_; i += 8) {
      noise = noise * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(memory_ + i, &noise, 8);
    }
    described_.assign(arena_size / page, false);
    for (const Range& range : ranges)
      for (Bytes at = start - low + range.offset, end = at + range.length; at < end; at = (at / page + 1) * page)
        described_[static_cast<std::size_t>(at / page)] = true;
    image_.assign(memory_ + first_, memory_ + last_);
    return base_;
  }

  /// The same place in a copy of the memory, where the plain loop runs.
  std::byte* image() { return image_.data() + (base_ - memory_ - first_); }

  void lock() {
    for (std::size_t i = 0; i < described_.size();) {
      std::size_t j = i;
      while (j < described_.size() && described_[j] == described_[i]) ++j;
      if (!described_[i]) mprotect(memory_ + static_cast<Bytes>(i) * page, (j - i) * page, PROT_NONE);
      i = j;
    }
  }
  void unlock() { mprotect(memory_, arena_size, PROT_READ | PROT_WRITE); }

  /// "" if memory is as the plain loop left it.
  std::string difference() const {
    if (std::memcmp(memory_ + first_, image_.data(), image_.size()) == 0) return "";
    for (Bytes i = first_; i < last_; ++i)
      if (memory_[i] != image_[static_cast<std::size_t>(i - first_)])
        return "first wrong byte at " + std::to_string(memory_ + i - base_);
    return "";
  }

 private:
  std::byte* memory_;
  std::byte* base_ = nullptr;
  Bytes first_ = 0, last_ = 0;
  std::vector<std::byte> image_;
  std::vector<bool> described_;
};

class Kernels : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!use(GetParam())) GTEST_SKIP() << "this processor has no " << name(GetParam());
  }
  void TearDown() override { use(best_isa()); }

  /// Calls body(random) with many seeds, or with the one of TEST_SEED.
  template <class Body>
  void seeds(int count, Body body) {
    const char* chosen = std::getenv("TEST_SEED");
    for (int i = 0; i < (chosen ? 1 : count); ++i) {
      const std::uint64_t seed = chosen ? std::strtoull(chosen, nullptr, 10) : std::random_device{}();
      SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
      Random random(seed);
      body(random);
      if (HasFailure()) return;
    }
  }

  /// Runs `kernel(to, from)` in locked memory and `plain(to, from)` on the image, and compares everything.
  template <class Copy, class Plain>
  void check(Random& random, const std::vector<Range>& to_ranges, const std::vector<Range>& from_ranges, Copy kernel,
             Plain plain, const std::string& what) {
    std::byte* const to = to_.place(random, to_ranges);
    std::byte* const from = from_.place(random, from_ranges);
    if (!to || !from) return;
    plain(to_.image(), from_.image());
    to_.lock();
    from_.lock();
    kernel(to, from);
    to_.unlock();
    from_.unlock();
    EXPECT_EQ(to_.difference(), "") << what;
    EXPECT_EQ(from_.difference(), "") << what << " (the source was written)";
  }

  Arena to_, from_;
};

Bytes any_block(Random& random) {
  switch (pick(random, 0, 5)) {
    case 0:
      return Bytes{1} << pick(random, 0, 6);
    case 1: {
      constexpr Bytes odd[] = {3, 5, 6, 7, 12, 20, 24, 28, 40, 44, 48, 56};
      return odd[pick(random, 0, 11)];
    }
    case 2:
      return pick(random, 65, 700);
    case 3:
      return pick(random, 0, 20) == 0 ? pick(random, 2000, 9000) : pick(random, 1, 16);
    default:
      return pick(random, 1, 64);
  }
}

/// Disjoint strides for loops of the given counts in a random order of nesting, with random gaps, some of them backwards.
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

void plain_copy(std::byte* to, const std::byte* from, const std::vector<Range>& t, const std::vector<Range>& f) {
  for (std::size_t i = 0; i < t.size(); ++i)
    std::memcpy(to + t[i].offset, from + f[i].offset, static_cast<std::size_t>(t[i].length));
}

TEST_P(Kernels, NestIsThePlainLoops) {
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
    const std::vector<Bytes> from = strides(random, counts, block, dense == 1, true);  // what is sent may overlap
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

/// Many rows, short and long, one side packed without a gap: what a kernel writes too much in one row, the next must make good.
TEST_P(Kernels, RowsOfEveryBlockLengthAreThePlainLoops) {
  seeds(3, [&](Random& random) {
    for (Bytes block = 1; block <= 64; ++block)
      for (const Count count : {Count{2}, Count{3}, Count{4}, Count{5}, Count{9}, pick(random, 10, 80)}) {
        const Count rows = pick(random, 1, 6);
        const Bytes stride = block + pick(random, 1, 2) * pick(random, 1, 150);
        const Bytes row = stride * count + pick(random, 1, 4000);
        const Bytes gap = pick(random, 0, 1) * pick(random, 1, 20);  // of the packed rows
        std::vector<Range> packed, memory;
        for (Count i = 0; i < rows * count; ++i) {
          packed.push_back({i / count * (block * count + gap) + i % count * block, block});
          memory.push_back({i / count * row + i % count * stride, block});
        }
        const Dim pack[] = {{rows, block * count + gap, row}, {count, block, stride}};
        const Dim unpack[] = {{rows, row, block * count + gap}, {count, stride, block}};
        const std::string what = std::to_string(rows) + " rows of " + std::to_string(count) + " blocks of " +
                                 std::to_string(block) + " every " + std::to_string(stride);
        check(
            random, packed, memory, [&](std::byte* t, const std::byte* f) { nest(t, f, pack, block); },
            [&](std::byte* t, const std::byte* f) { plain_copy(t, f, packed, memory); }, "pack " + what);
        check(
            random, memory, packed, [&](std::byte* t, const std::byte* f) { nest(t, f, unpack, block); },
            [&](std::byte* t, const std::byte* f) { plain_copy(t, f, memory, packed); }, "unpack " + what);
      }
  });
}

TEST_P(Kernels, RowsThatCollideInTheCacheAreThePlainLoops) {
  seeds(200, [&](Random& random) {
    const Bytes block = pick(random, 0, 7) == 0 ? 128 << pick(random, 0, 1) : 4 * pick(random, 1, 16);
    const Bytes stride = (pick(random, 0, 9) == 0 ? -512 : 512) << pick(random, 0, 5);
    const Count count = pick(random, 1, 200), rows = pick(random, 1, 3);
    std::vector<Range> packed, memory;
    for (Count i = 0; i < rows * count; ++i) {
      packed.push_back({i * block, block});
      memory.push_back({i / count * (stride * count + 256) + i % count * stride, block});
    }
    const Bytes row = stride * count + 256;
    const Dim pack[] = {{rows, block * count, row}, {count, block, stride}};
    const Dim unpack[] = {{rows, row, block * count}, {count, stride, block}};
    const std::string what = std::to_string(count) + " blocks of " + std::to_string(block) + " every " + std::to_string(stride);
    check(
        random, packed, memory, [&](std::byte* t, const std::byte* f) { nest(t, f, pack, block); },
        [&](std::byte* t, const std::byte* f) { plain_copy(t, f, packed, memory); }, "pack " + what);
    if (stride < 0) return;  // rows could overlap
    check(
        random, memory, packed, [&](std::byte* t, const std::byte* f) { nest(t, f, unpack, block); },
        [&](std::byte* t, const std::byte* f) { plain_copy(t, f, memory, packed); }, "unpack " + what);
  });
}

/// A segment of a transpose: a few columns, each element in a row of its own.
TEST_P(Kernels, AFewColumnsAreThePlainLoops) {
  seeds(3, [&](Random& random) {
    for (const Bytes block : {4, 8, 12, 16, 24, 32})
      for (Count columns = 1; columns <= 9; ++columns) {
        const Count rows = pick(random, 1, 90);
        const Bytes row = pick(random, 0, 1) ? Bytes{1024} : block * columns + pick(random, 0, 3) * 4;
        std::vector<Range> packed, memory;
        for (Count i = 0; i < rows * columns; ++i) {
          packed.push_back({i * block, block});
          memory.push_back({i / rows * block + i % rows * row, block});
        }
        const Dim pack[] = {{columns, block * rows, block}, {rows, block, row}};
        const Dim unpack[] = {{columns, block, block * rows}, {rows, row, block}};
        const std::string what =
            std::to_string(columns) + " columns of " + std::to_string(rows) + " elements of " + std::to_string(block);
        check(
            random, packed, memory, [&](std::byte* t, const std::byte* f) { nest(t, f, pack, block); },
            [&](std::byte* t, const std::byte* f) { plain_copy(t, f, packed, memory); }, "pack " + what);
        check(
            random, memory, packed, [&](std::byte* t, const std::byte* f) { nest(t, f, unpack, block); },
            [&](std::byte* t, const std::byte* f) { plain_copy(t, f, memory, packed); }, "unpack " + what);
      }
  });
}

TEST_P(Kernels, NestOfNothingTouchesNothing) {
  const Dim none[] = {{5, 8, 8}, {0, 8, 8}};
  nest(nullptr, nullptr, none, 8);
  const Dim some[] = {{5, 8, 8}};
  nest(nullptr, nullptr, some, 0);
}

/// Pieces in memory in random order without overlap, some neighbours, some far apart; and where each is packed.
struct Scattered {
  std::vector<Range> memory, packed;
};
Scattered scattered(Random& random, Count n, const std::vector<Bytes>& lengths) {
  Scattered result;
  Bytes at = pick(random, -5000, 5000), packed = 0;
  const auto gap = Bytes{1} << pick(random, 0, 9);
  for (Count i = 0; i < n; ++i) {
    const Bytes length = lengths[static_cast<std::size_t>(i)];
    at += pick(random, 0, 3) == 0 ? 0 : pick(random, 0, gap);
    if (pick(random, 0, 200) == 0) at += 2 * page;
    result.memory.push_back({at, length});
    at += length;
  }
  if (pick(random, 0, 1)) {
    std::vector<std::size_t> order(result.memory.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    std::vector<Range> shuffled;
    for (std::size_t i : order) shuffled.push_back(result.memory[i]);
    result.memory = shuffled;
  }
  for (const Range& range : result.memory) {
    result.packed.push_back({packed, range.length});
    packed += range.length;
  }
  return result;
}

template <class Int>
std::vector<Int> offsets_of(const std::vector<Range>& ranges) {
  std::vector<Int> result;
  for (const Range& range : ranges) result.push_back(static_cast<Int>(range.offset));
  return result;
}
template <class Int>
std::vector<Int> lengths_of(const std::vector<Range>& ranges) {
  std::vector<Int> result;
  for (const Range& range : ranges) result.push_back(static_cast<Int>(range.length));
  return result;
}

TEST_P(Kernels, GatherAndScatterBlocks) {
  seeds(400, [&](Random& random) {
    const Bytes block = any_block(random);
    const Count n = pick(random, 0, std::min<Count>(pick(random, 0, 1) ? 20 : 3000, 200000 / block));
    const Scattered s = scattered(random, n, std::vector<Bytes>(static_cast<std::size_t>(n), block));
    const std::string what = std::to_string(n) + " blocks of " + std::to_string(block);
    const auto both = [&]<class Int>(Int) {
      const std::vector<Int> offsets = offsets_of<Int>(s.memory);
      check(
          random, s.packed, s.memory, [&](std::byte* t, const std::byte* f) { gather(t, f, offsets.data(), n, block); },
          [&](std::byte* t, const std::byte* f) { plain_copy(t, f, s.packed, s.memory); }, "gather " + what);
      check(
          random, s.memory, s.packed, [&](std::byte* t, const std::byte* f) { scatter(t, f, offsets.data(), n, block); },
          [&](std::byte* t, const std::byte* f) { plain_copy(t, f, s.memory, s.packed); }, "scatter " + what);
    };
    both(std::int32_t{});
    both(std::int64_t{});
  });
}

TEST_P(Kernels, ScatterLetsLaterBlocksWin) {
  seeds(50, [&](Random& random) {
    const Bytes block = pick(random, 1, 80);
    const Count n = 200;
    std::vector<std::int32_t> offsets;
    std::vector<Range> memory, packed;
    for (Count i = 0; i < n; ++i) {
      offsets.push_back(static_cast<std::int32_t>(pick(random, 0, 500)));
      memory.push_back({offsets.back(), block});
      packed.push_back({i * block, block});
    }
    check(
        random, memory, packed, [&](std::byte* t, const std::byte* f) { scatter(t, f, offsets.data(), n, block); },
        [&](std::byte* t, const std::byte* f) { plain_copy(t, f, memory, packed); }, "overlapping blocks");
  });
}

TEST_P(Kernels, GatherAndScatterPieces) {
  seeds(150, [&](Random& random) {
    const Count n = pick(random, 0, pick(random, 0, 1) ? 20 : 1500);
    const Bytes longest = pick(random, 0, 2) == 0 ? 200 : pick(random, 1, 70);
    std::vector<Bytes> lengths;
    for (Count i = 0; i < n; ++i)
      lengths.push_back(pick(random, 0, 200) == 0 ? pick(random, 1, 5000) : pick(random, 1, longest));
    const Scattered s = scattered(random, n, lengths);
    const auto both = [&]<class Int, class Length>(Int, Length) {
      const std::vector<Int> offsets = offsets_of<Int>(s.memory);
      const std::vector<Length> l = lengths_of<Length>(s.memory);
      check(
          random, s.packed, s.memory,
          [&](std::byte* t, const std::byte* f) { gather_pieces(t, f, offsets.data(), l.data(), n); },
          [&](std::byte* t, const std::byte* f) { plain_copy(t, f, s.packed, s.memory); }, "gather_pieces");
      check(
          random, s.memory, s.packed,
          [&](std::byte* t, const std::byte* f) { scatter_pieces(t, f, offsets.data(), l.data(), n); },
          [&](std::byte* t, const std::byte* f) { plain_copy(t, f, s.memory, s.packed); }, "scatter_pieces");
    };
    both(std::int32_t{}, std::int32_t{});
    both(std::int32_t{}, std::int64_t{});
    both(std::int64_t{}, std::int32_t{});
    both(std::int64_t{}, std::int64_t{});
  });
}

/// A record of a few pieces, sometimes out of order, sometimes with one long piece, sometimes below its placement.
std::vector<Piece> any_record(Random& random) {
  const Count n = pick(random, 1, pick(random, 0, 3) == 0 ? 40 : 5);
  std::vector<Bytes> lengths;
  const Bytes longest = pick(random, 0, 4) == 0 ? 300 : pick(random, 1, 24);
  for (Count i = 0; i < n; ++i) lengths.push_back(pick(random, 1, longest));
  Bytes at = pick(random, 0, 3) == 0 ? pick(random, -300, 300) : 0;
  const auto gap = Bytes{1} << pick(random, 0, 7);
  std::vector<Range> memory;
  for (Bytes length : lengths) {
    memory.push_back({at, length});
    at += length + (pick(random, 0, 2) == 0 ? 0 : pick(random, 0, gap));
  }
  if (pick(random, 0, 3) == 0) std::shuffle(memory.begin(), memory.end(), random);
  std::vector<Piece> pieces;
  std::int32_t packed = 0;
  for (const Range& range : memory) {
    pieces.push_back({static_cast<std::int32_t>(range.offset), packed, static_cast<std::int32_t>(range.length)});
    packed += pieces.back().length;
  }
  return pieces;
}

struct RecordRanges {
  std::vector<Range> memory, packed;
};
RecordRanges ranges_of(const Record& record, const std::vector<Bytes>& at) {
  RecordRanges result;
  for (std::size_t i = 0; i < at.size(); ++i)
    for (const Piece& piece : record.pieces()) {
      result.memory.push_back({at[i] + piece.offset, piece.length});
      result.packed.push_back({static_cast<Bytes>(i) * record.size() + piece.packed, piece.length});
    }
  return result;
}

TEST_P(Kernels, RecordsAtAStride) {
  seeds(400, [&](Random& random) {
    const Record record(any_record(random));
    const Bytes span = record.high() - record.low();
    const Count n = pick(random, 0, 400);
    Bytes stride = span;
    if (const auto how = pick(random, 0, 3); how == 0)
      stride = (span + 7) / 8 * 8;
    else if (how == 1)
      stride = span + pick(random, 0, 100);
    else if (how == 2)
      stride = (span + 63) / 64 * 64;
    if (pick(random, 0, 9) == 0) stride = pick(random, 0, span);  // records that overlap can be sent, not received
    if (pick(random, 0, 9) == 0) stride = -stride;
    std::vector<Bytes> at;
    for (Count i = 0; i < n; ++i) at.push_back(i * stride);
    const RecordRanges r = ranges_of(record, at);
    std::string what = std::to_string(n) + " records, stride " + std::to_string(stride) + ":";
    for (const Piece& p : record.pieces()) what += " " + std::to_string(p.offset) + "+" + std::to_string(p.length);
    check(
        random, r.packed, r.memory, [&](std::byte* t, const std::byte* f) { gather_records(t, f, record, n, stride); },
        [&](std::byte* t, const std::byte* f) { plain_copy(t, f, r.packed, r.memory); }, "gather " + what);
    if (std::abs(stride) < span) return;
    check(
        random, r.memory, r.packed, [&](std::byte* t, const std::byte* f) { scatter_records(t, f, record, n, stride); },
        [&](std::byte* t, const std::byte* f) { plain_copy(t, f, r.memory, r.packed); }, "scatter " + what);
  });
}

/// First and last byte lie as in one piece of 16 bytes, the fields between do not.
TEST_P(Kernels, FieldsThatOnlyLookLikeOnePiece) {
  const Record record({{0, 0, 4}, {8, 4, 4}, {4, 8, 4}, {12, 12, 4}});
  seeds(5, [&](Random& random) {
    std::vector<Bytes> at;
    for (Bytes i = 0; i < 100; ++i) at.push_back(24 * i);
    const RecordRanges r = ranges_of(record, at);
    check(
        random, r.packed, r.memory, [&](std::byte* t, const std::byte* f) { gather_records(t, f, record, 100, 24); },
        [&](std::byte* t, const std::byte* f) { plain_copy(t, f, r.packed, r.memory); }, "gather");
    check(
        random, r.memory, r.packed, [&](std::byte* t, const std::byte* f) { scatter_records(t, f, record, 100, 24); },
        [&](std::byte* t, const std::byte* f) { plain_copy(t, f, r.memory, r.packed); }, "scatter");
  });
}

TEST_P(Kernels, RecordsAtOffsets) {
  seeds(400, [&](Random& random) {
    const Record record(any_record(random));
    const Bytes span = record.high() - record.low();
    const Count n = pick(random, 0, 400);
    const Scattered s = scattered(random, n, std::vector<Bytes>(static_cast<std::size_t>(n), span));
    std::vector<Bytes> at;
    for (const Range& range : s.memory) at.push_back(range.offset);
    const RecordRanges r = ranges_of(record, at);
    const auto both = [&]<class Int>(Int) {
      const std::vector<Int> offsets = offsets_of<Int>(s.memory);
      check(
          random, r.packed, r.memory,
          [&](std::byte* t, const std::byte* f) { gather_records_at(t, f, record, offsets.data(), n); },
          [&](std::byte* t, const std::byte* f) { plain_copy(t, f, r.packed, r.memory); }, "gather");
      check(
          random, r.memory, r.packed,
          [&](std::byte* t, const std::byte* f) { scatter_records_at(t, f, record, offsets.data(), n); },
          [&](std::byte* t, const std::byte* f) { plain_copy(t, f, r.memory, r.packed); }, "scatter");
    };
    both(std::int32_t{});
    both(std::int64_t{});
  });
}

INSTANTIATE_TEST_SUITE_P(Isa, Kernels, testing::Values(Isa::portable, Isa::avx2, Isa::avx512),
                         [](const auto& instance) { return std::string(name(instance.param)); });

TEST(Dispatch, TheBestIsInUse) {
  EXPECT_EQ(isa(), best_isa());
  EXPECT_TRUE(use(Isa::portable));
  EXPECT_EQ(isa(), Isa::portable);
  EXPECT_TRUE(use(best_isa()));
}

}  // namespace
}  // namespace heddle::layout::kernel
