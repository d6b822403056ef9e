// group/ranges.cpp: builds and searches stretches.
#include "group/ranges.hpp"

#include <algorithm>
#include <numeric>

namespace heddle::group {
namespace {

constexpr Rank indexed_from = 32;

/// Entries of the index without the last. Each stands for a power of two of ranks, about eight
/// stretches.
int shift_of(Rank count, Rank size) {
  int shift = 0;
  while ((size >> shift) > count / 8) ++shift;
  return shift;
}

}  // namespace

std::size_t Ranges::bytes(std::int64_t count, bool increasing) {
  const std::int64_t index = count > indexed_from ? count / 8 + 2 : 0;
  return static_cast<std::size_t>(2 * count + index + (increasing ? 0 : count)) * sizeof(Rank);
}

Rank Ranges::search(Rank rank) const noexcept {
  const Rank* const ends = numbers_.get();
  Rank low = 0, left = count_;  // the stretch is one of low ... low + left - 1
  if (count_ > indexed_from) {
    const Rank* const index = ends + 2 * std::ptrdiff_t{count_} + (rank >> shift_);
    low = index[0];
    left = index[1] - low + 1;
  }
  while (left > 1) {
    const Rank half = left / 2;
    low += ends[low + half - 1] <= rank ? half : 0;
    left -= half;
  }
  return low;
}

Rank Ranges::rank_of(Rank world) const noexcept {
  const Rank* const ends = numbers_.get();
  const Rank* const moves = ends + count_;
  const Rank* const order =
      increasing_ ? nullptr : moves + count_ + (count_ > indexed_from ? std::ptrdiff_t{count_ / 8} + 2 : 0);
  Rank low = 0, left = count_;
  while (left > 1) {
    const Rank half = left / 2;
    const Rank probe = order ? order[low + half] : low + half;
    low += start(probe) + moves[probe] <= world ? half : 0;
    left -= half;
  }
  const Rank at = order ? order[low] : low;
  const std::int64_t rank = std::int64_t{world} - moves[at];
  return rank >= start(at) && rank < ends[at] ? static_cast<Rank>(rank) : undefined;
}

Piece Ranges::piece(Rank i) const { return Piece::run(start(i) + numbers_[count_ + i], 1, numbers_[i] - start(i)); }

Ranges::Builder::Builder(Rank count, bool increasing)
    : numbers_(new Rank[bytes(count, increasing) / sizeof(Rank)]), count_(count), increasing_(increasing) {}

void Ranges::Builder::add(Rank first, Rank size) {
  numbers_[count_ + filled_] = first - size_;
  numbers_[filled_++] = size_ += size;
}

Ranges Ranges::Builder::finish() {
  Ranges done;
  done.count_ = count_;
  done.increasing_ = increasing_;
  Rank* more = numbers_.get() + 2 * std::ptrdiff_t{count_};
  if (count_ > indexed_from) {
    const int shift = shift_of(count_, size_);
    done.shift_ = static_cast<std::uint8_t>(shift);
    Rank at = 0;
    for (Rank i = 0; i < count_ / 8 + 2; ++i) {
      while (at + 1 < count_ && numbers_[at] <= std::int64_t{i} << shift) ++at;
      *more++ = at;
    }
  }
  if (!increasing_) {
    std::iota(more, more + count_, 0);
    const auto low = [&](Rank i) { return (i > 0 ? numbers_[i - 1] : 0) + numbers_[count_ + i]; };
    std::sort(more, more + count_, [&](Rank a, Rank b) { return low(a) < low(b); });
  }
  done.numbers_ = std::move(numbers_);
  return done;
}

}  // namespace heddle::group
