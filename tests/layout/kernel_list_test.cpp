// Listed blocks, pieces of different lengths, records.
#include "kernel_checks.hpp"

namespace heddle::layout::kernel::kernel_list_test {
namespace {

class ListKernels : public KernelTest {};

/// Pieces in memory in random order without overlap, some adjacent, some far apart. Also the packed
/// place of each.
Pieces scattered(Random& random, Count n, const std::vector<Bytes>& lengths) {
  Pieces result;
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

TEST_P(ListKernels, GatherAndScatterBlocks) {
  seeds(400, [&](Random& random) {
    const Bytes block = any_block(random);
    const Count n = pick(random, 0, std::min<Count>(pick(random, 0, 1) ? 20 : 3000, 200000 / block));
    const Pieces s = scattered(random, n, std::vector<Bytes>(static_cast<std::size_t>(n), block));
    const std::string what = std::to_string(n) + " blocks of " + std::to_string(block);
    const auto both = [&]<class Int>(Int) {
      const std::vector<Int> offsets = offsets_of<Int>(s.memory);
      check_both_ways(
          random, s, [&](std::byte* t, const std::byte* f) { gather(t, f, offsets.data(), n, block); },
          [&](std::byte* t, const std::byte* f) { scatter(t, f, offsets.data(), n, block); }, what);
    };
    both(std::int32_t{});
    both(std::int64_t{});
  });
}

/// Many blocks, so far apart that later blocks are prefetched.
TEST_P(ListKernels, BlocksBeyondTheCaches) {
  seeds(1, [&](Random& random) {
    for (const Bytes block : {3, 4, 8, 12, 24, 40}) {
      const Count n = (1 << 17) + pick(random, 0, 100);
      Pieces s;
      for (Count i = 0; i < n; ++i) {
        s.memory.push_back({i * 140 + pick(random, 0, 100), block});
        s.packed.push_back({i * block, block});
      }
      if (pick(random, 0, 1)) std::shuffle(s.memory.begin(), s.memory.end(), random);
      const auto both = [&]<class Int>(Int) {
        const std::vector<Int> offsets = offsets_of<Int>(s.memory);
        check_both_ways(
            random, s, [&](std::byte* t, const std::byte* f) { gather(t, f, offsets.data(), n, block); },
            [&](std::byte* t, const std::byte* f) { scatter(t, f, offsets.data(), n, block); },
            std::to_string(n) + " blocks of " + std::to_string(block));
      };
      both(std::int32_t{});
      both(std::int64_t{});
    }
  });
}

TEST_P(ListKernels, ScatterLetsLaterBlocksWin) {
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

TEST_P(ListKernels, GatherAndScatterPieces) {
  seeds(150, [&](Random& random) {
    const Count n = pick(random, 0, pick(random, 0, 1) ? 20 : 1500);
    const Bytes longest = pick(random, 0, 2) == 0 ? 200 : pick(random, 1, 70);
    std::vector<Bytes> lengths;
    for (Count i = 0; i < n; ++i)
      lengths.push_back(pick(random, 0, 200) == 0 ? pick(random, 1, 5000) : pick(random, 1, longest));
    const Pieces s = scattered(random, n, lengths);
    const auto both = [&]<class Int, class Length>(Int, Length) {
      const std::vector<Int> offsets = offsets_of<Int>(s.memory);
      const std::vector<Length> l = lengths_of<Length>(s.memory);
      check_both_ways(
          random, s, [&](std::byte* t, const std::byte* f) { gather_pieces(t, f, offsets.data(), l.data(), n); },
          [&](std::byte* t, const std::byte* f) { scatter_pieces(t, f, offsets.data(), l.data(), n); }, "pieces");
    };
    both(std::int32_t{}, std::int32_t{});
    both(std::int32_t{}, std::int64_t{});
    both(std::int64_t{}, std::int32_t{});
    both(std::int64_t{}, std::int64_t{});
  });
}

/// A record of a few pieces. They may be out of order, have one long piece, or lie below the
/// record's placement.
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

Pieces pieces_of(const Record& record, const std::vector<Bytes>& at) {
  Pieces result;
  for (std::size_t i = 0; i < at.size(); ++i)
    for (const Piece& piece : record.pieces()) {
      result.memory.push_back({at[i] + piece.offset, piece.length});
      result.packed.push_back({static_cast<Bytes>(i) * record.size() + piece.packed, piece.length});
    }
  return result;
}

TEST_P(ListKernels, RecordsAtAStride) {
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
    const Pieces r = pieces_of(record, at);
    std::string what = std::to_string(n) + " records, stride " + std::to_string(stride) + ":";
    for (const Piece& p : record.pieces()) what += " " + std::to_string(p.offset) + "+" + std::to_string(p.length);
    const auto pack = [&](std::byte* t, const std::byte* f) { gather_records(t, f, record, n, stride); };
    if (std::abs(stride) < span) return check_packing(random, r, pack, what);
    check_both_ways(
        random, r, pack, [&](std::byte* t, const std::byte* f) { scatter_records(t, f, record, n, stride); }, what);
  });
}

TEST_P(ListKernels, RecordsBeyondTheCaches) {
  seeds(3, [&](Random& random) {
    const Record record(any_record(random));
    const Bytes stride = record.high() - record.low() + pick(random, 0, 40);
    std::vector<Bytes> at;
    for (Bytes i = 0; i < (5 << 20) / stride; ++i) at.push_back(i * stride);
    const auto n = static_cast<Count>(at.size());
    check_both_ways(
        random, pieces_of(record, at), [&](std::byte* t, const std::byte* f) { gather_records(t, f, record, n, stride); },
        [&](std::byte* t, const std::byte* f) { scatter_records(t, f, record, n, stride); },
        std::to_string(n) + " records, stride " + std::to_string(stride));
  });
}

/// The first and the last byte lie as in one piece of 16 bytes, but the fields between do not.
TEST_P(ListKernels, FieldsThatOnlyLookLikeOnePiece) {
  const Record record({{0, 0, 4}, {8, 4, 4}, {4, 8, 4}, {12, 12, 4}});
  seeds(5, [&](Random& random) {
    std::vector<Bytes> at;
    for (Bytes i = 0; i < 100; ++i) at.push_back(24 * i);
    const Pieces r = pieces_of(record, at);
    check_both_ways(
        random, r, [&](std::byte* t, const std::byte* f) { gather_records(t, f, record, 100, 24); },
        [&](std::byte* t, const std::byte* f) { scatter_records(t, f, record, 100, 24); }, "records");
  });
}

TEST_P(ListKernels, RecordsAtOffsets) {
  seeds(400, [&](Random& random) {
    const Record record(any_record(random));
    const Bytes span = record.high() - record.low();
    const Count n = pick(random, 0, 400);
    const Pieces s = scattered(random, n, std::vector<Bytes>(static_cast<std::size_t>(n), span));
    std::vector<Bytes> at;
    for (const Range& range : s.memory) at.push_back(range.offset);
    const Pieces r = pieces_of(record, at);
    const auto both = [&]<class Int>(Int) {
      const std::vector<Int> offsets = offsets_of<Int>(s.memory);
      check_both_ways(
          random, r, [&](std::byte* t, const std::byte* f) { gather_records_at(t, f, record, offsets.data(), n); },
          [&](std::byte* t, const std::byte* f) { scatter_records_at(t, f, record, offsets.data(), n); }, "records");
    };
    both(std::int32_t{});
    both(std::int64_t{});
  });
}

INSTANTIATE_TEST_SUITE_P(Isa, ListKernels, every_isa(), isa_of);

}  // namespace
}  // namespace heddle::layout::kernel::kernel_list_test
