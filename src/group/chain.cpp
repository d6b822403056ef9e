// group/chain.cpp: lays pieces out, and finds members among them.
#include "group/chain.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace heddle::group {

std::size_t Chain::bytes(std::span<const Piece> pieces) {
  std::size_t numbers = 2 * pieces.size() + 1;
  for (const Piece& piece : pieces) numbers += static_cast<std::size_t>(GridNumbers::length(piece));
  if (pieces.size() > few) numbers += 3 * pieces.size();
  return numbers * sizeof(Rank);
}

std::size_t Chain::bytes() const {
  const auto search = static_cast<std::size_t>(count_ > few ? 3 * count_ : 0);
  return (static_cast<std::size_t>(numbers_[2 * std::ptrdiff_t{count_}]) + search) * sizeof(Rank);
}

Chain::Chain(std::span<const Piece> pieces) : count_(static_cast<Rank>(pieces.size())) {
  std::shared_ptr<Rank[]> numbers(new Rank[bytes(pieces) / sizeof(Rank)]);
  Rank* const ends = numbers.get();
  Rank* const places = ends + count_;
  Rank size = 0, place = 2 * count_ + 1;
  for (Rank i = 0; i < count_; ++i) {
    ends[i] = size += pieces[i].size;
    places[i] = place;
    GridNumbers::write(pieces[i], ends + place);
    place += GridNumbers::length(pieces[i]);
  }
  places[count_] = place;
  if (count_ > few) {
    Rank *const order = ends + place, *const lows = order + count_, *const highs = lows + count_;
    std::iota(order, order + count_, 0);
    std::vector<Piece::Hull> hulls;
    hulls.reserve(pieces.size());
    for (const Piece& piece : pieces) hulls.push_back(piece.hull());
    std::sort(order, order + count_, [&](Rank a, Rank b) { return hulls[a].low < hulls[b].low; });
    Rank highest = -1;
    for (Rank i = 0; i < count_; ++i) {
      lows[i] = hulls[order[i]].low;
      highs[i] = highest = std::max(highest, hulls[order[i]].high);
    }
  }
  numbers_ = std::move(numbers);
}

Piece Chain::piece(Rank i) const {
  const Rank* const places = numbers_.get() + count_;
  return GridNumbers::read(numbers_.get() + places[i], places[i + 1] - places[i], numbers_[i] - start(i));
}

Rank Chain::rank_of(Rank world) const {
  const auto in = [&](Rank i) {
    const Rank rank = piece(i).rank_of(world);
    return rank == undefined ? undefined : start(i) + rank;
  };
  if (count_ <= few) {
    for (Rank i = 0; i < count_; ++i)
      if (const Rank rank = in(i); rank != undefined) return rank;
    return undefined;
  }
  const Rank* const order = numbers_.get() + numbers_[2 * std::ptrdiff_t{count_}];
  const Rank *const lows = order + count_, *const highs = lows + count_;
  // Pieces that begin at or before the member, the nearest first, until no other piece reaches so
  // far.
  for (auto i = std::upper_bound(lows, lows + count_, world) - lows - 1; i >= 0 && highs[i] >= world; --i)
    if (const Rank rank = in(order[i]); rank != undefined) return rank;
  return undefined;
}

}  // namespace heddle::group
