// group/piece.cpp: the arithmetic of nests, in 64 bits. Ranks fit 32 bits.
#include "group/piece.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace heddle::group {
namespace {

using Wide = std::int64_t;

Wide floor_div(Wide a, Wide b) { return a / b - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0); }

bool fits(Wide value) { return value >= std::numeric_limits<Rank>::min() && value <= std::numeric_limits<Rank>::max(); }

/// Sorts a few items by insertion. (With std::sort, gcc 12 warns about an access past the end of
/// four items.)
template <class T, class Before>
void sort_few(T* all, int count, Before before) {
  for (int i = 1; i < count; ++i)
    for (int k = i; k > 0 && before(all[k], all[k - 1]); --k) std::swap(all[k], all[k - 1]);
}

/// A dimension for the search, with a positive step.
struct Axis {
  Wide step, count;
  Wide place;     ///< Places of the nest for each step.
  bool backward;  ///< The step was negative: coordinates count from the end.
};

/// Finds coordinates such that the sum of step · coordinate is `rest`. Axes come from the largest
/// step down. `below[k]` is the reach of axes k and following.
Wide search(const Axis* axes, const Wide* below, int left, Wide rest, Wide place, Wide from, Wide to) {
  if (left == 0) return rest == 0 && place >= from && place < to ? place : -1;
  const Wide most = std::min(floor_div(rest, axes->step), axes->count - 1);
  const Wide least = std::max<Wide>(0, -floor_div(below[1] - rest, axes->step));
  for (Wide c = most; c >= least; --c) {
    const Wide coordinate = axes->backward ? axes->count - 1 - c : c;
    const Wide found = search(axes + 1, below + 1, left - 1, rest - c * axes->step, place + coordinate * axes->place, from, to);
    if (found >= 0) return found;
  }
  return -1;
}

}  // namespace

Piece Piece::run(Rank first, Rank step, Rank size) {
  Piece piece;
  piece.first = first;
  piece.size = size;
  piece.dim[0] = {0, size == 1 ? 1 : step};
  return piece;
}

std::int64_t Piece::inner() const {
  Wide places = 1;
  for (int d = 0; d + 1 < dims; ++d) places *= dim[d].count;
  return places;
}

Rank Piece::operator[](std::int64_t i) const {
  Wide place = i + skip, rank = first;
  for (int d = 0; d + 1 < dims; ++d) {
    rank += place % dim[d].count * dim[d].step;
    place /= dim[d].count;
  }
  return static_cast<Rank>(rank + place * dim[dims - 1].step);
}

Rank Piece::rank_of(Rank member) const {
  if (size == 0) return undefined;
  std::array<Axis, most_dims> axes;
  Wide rest = Wide{member} - first, place = 1;
  for (int d = 0; d < dims; ++d) {
    const Wide count = d + 1 < dims ? dim[d].count : (Wide{skip} + size - 1) / place + 1;
    const bool backward = dim[d].step < 0;
    if (backward) rest -= (count - 1) * dim[d].step;
    axes[d] = {backward ? -Wide{dim[d].step} : dim[d].step, count, place, backward};
    place *= count;
  }
  sort_few(axes.data(), dims, [](const Axis& a, const Axis& b) { return a.step > b.step; });
  std::array<Wide, most_dims + 1> below{};
  for (int d = dims - 1; d >= 0; --d) below[d] = below[d + 1] + (axes[d].count - 1) * axes[d].step;
  if (rest < 0 || rest > below[0]) return undefined;
  const Wide found = search(axes.data(), below.data(), dims, rest, 0, skip, Wide{skip} + size);
  return found < 0 ? undefined : static_cast<Rank>(found - skip);
}

std::array<Piece::Change, Piece::most_dims> Piece::changes() const {
  std::array<Change, most_dims> all{};
  Wide places = 1, back = 0;  // back: distance from the end of the inner dimensions to their start
  const auto multiples = [&](Wide of) { return (Wide{skip} + size - 1) / of - skip / of; };
  for (int d = 0; d < dims; ++d) {
    const Wide count = multiples(places) - (d + 1 < dims ? multiples(places * dim[d].count) : 0);
    all[d] = {dim[d].step - back, size > 0 ? count : 0};
    if (d + 1 == dims) break;
    back += Wide{dim[d].count - 1} * dim[d].step;
    places *= dim[d].count;
  }
  return all;
}

bool Piece::increasing() const {
  const auto all = changes();
  return std::all_of(all.begin(), all.begin() + dims, [](const Change& c) { return c.count == 0 || c.difference > 0; });
}

std::int64_t Piece::ranges() const {
  Wide count = size > 0 ? 1 : 0;
  const auto all = changes();
  for (int d = 0; d < dims; ++d) count += all[d].difference == 1 ? 0 : all[d].count;
  return count;
}

Piece::Hull Piece::hull() const {
  if (size == 0) return {0, -1};
  if (increasing()) return {(*this)[0], last()};
  Wide low = first, high = first;
  const Wide outer = (Wide{skip} + size - 1) / inner() + 1;
  for (int d = 0; d < dims; ++d) {
    const Wide reach = ((d + 1 < dims ? dim[d].count : outer) - 1) * dim[d].step;
    (reach < 0 ? low : high) += reach;
  }
  const auto bound = [](Wide value) { return static_cast<Rank>(std::clamp<Wide>(value, 0, std::numeric_limits<Rank>::max())); };
  return {bound(low), bound(high)};
}

bool Piece::nested() const {
  std::array<std::pair<Wide, Wide>, most_dims> axes;  // step, reach
  const Wide outer = size > 0 ? (Wide{skip} + size - 1) / inner() + 1 : 0;
  for (int d = 0; d < dims; ++d) {
    const Wide step = std::abs(Wide{dim[d].step});
    axes[d] = {step, step * ((d + 1 < dims ? dim[d].count : outer) - 1)};
  }
  sort_few(axes.data(), dims, [](const auto& a, const auto& b) { return a < b; });
  Wide reached = 0;
  for (int d = 0; d < dims; ++d) {
    if (axes[d].second > 0 && axes[d].first <= reached) return false;
    reached += axes[d].second;
  }
  return true;
}

Piece Piece::plain() const {
  if (size == 0) return run(0, 1, 0);
  Piece p = *this;
  const auto drop = [&](int d) {
    std::copy(p.dim.begin() + d + 1, p.dim.begin() + p.dims, p.dim.begin() + d);
    p.dim[--p.dims] = {};
  };
  for (int d = 0; d + 1 < p.dims;) {
    if (p.dim[d].count == 1) {
      drop(d);
    } else if (Wide{p.dim[d].count} * p.dim[d].step == p.dim[d + 1].step) {
      p.dim[d + 1] = {static_cast<Rank>(d + 2 < p.dims ? Wide{p.dim[d].count} * p.dim[d + 1].count : 0), p.dim[d].step};
      drop(d);
    } else {
      ++d;
    }
  }
  for (;;) {
    const Wide places = p.inner();
    p.first = static_cast<Rank>(p.first + p.skip / places * p.dim[p.dims - 1].step);
    p.skip = static_cast<Rank>(p.skip % places);
    if (p.dims == 1 || Wide{p.skip} + p.size > places) break;
    p.dim[--p.dims] = {};
    p.dim[p.dims - 1].count = 0;
  }
  p.dim[p.dims - 1].count = 0;
  return p.dims == 1 ? run(p.first, p.dim[0].step, p.size) : p;
}

Piece Piece::slice(Rank from, Rank count) const {
  Piece p = *this;
  p.size = count;
  if (dims == 1) return run((*this)[from], dim[0].step, count);
  const Wide place = Wide{skip} + from, places = inner();
  p.first = static_cast<Rank>(first + place / places * dim[dims - 1].step);
  p.skip = static_cast<Rank>(place % places);
  return p.plain();
}

Piece Piece::reversed() const {
  if (size == 0) return *this;
  if (dims == 1) return run(last(), -dim[0].step, size);
  Piece p = *this;
  const Wide places = inner(), outer = (Wide{skip} + size - 1) / places + 1;
  Wide corner = first;
  for (int d = 0; d < dims; ++d) {
    corner += ((d + 1 < dims ? dim[d].count : outer) - 1) * dim[d].step;
    p.dim[d].step = -dim[d].step;
  }
  p.first = static_cast<Rank>(corner);
  p.skip = static_cast<Rank>(outer * places - skip - size);
  return p;
}

void Piece::strided(Rank from, Rank by, Rank count, std::vector<Piece>& out) const {
  if (count == 0) return;
  if (count == 1) return out.push_back(run((*this)[from], 1, 1));
  if (by < 0) return reversed().strided(size - 1 - from, -by, count, out);
  if (by == 1) return out.push_back(slice(from, count));
  const Wide place = Wide{skip} + from;
  if (dims == 1) return out.push_back(run((*this)[from], static_cast<Rank>(Wide{dim[0].step} * by), count));
  const Rank row = dim[0].count;
  if (by % row == 0) {  // always the same column
    Piece column = *this;
    column.first = static_cast<Rank>(first + place % row * dim[0].step);
    std::copy(dim.begin() + 1, dim.end(), column.dim.begin());
    column.dim[--column.dims] = {};
    column.skip = 0;
    column.size = static_cast<Rank>((Wide{skip} + size - 1) / row + 1);
    return column.strided(static_cast<Rank>(place / row), by / row, count, out);
  }
  Piece thinner = *this;
  if (row % by == 0) {
    thinner.first = static_cast<Rank>(first + place % by * dim[0].step);
    thinner.dim[0] = {row / by, static_cast<Rank>(Wide{dim[0].step} * by)};
    const Wide places = thinner.inner();
    thinner.first = static_cast<Rank>(thinner.first + place / by / places * dim[dims - 1].step);
    thinner.skip = static_cast<Rank>(place / by % places);
    thinner.size = count;
    return out.push_back(thinner.plain());
  }
  for (Wide i = from; count > 0;) {
    const Wide left = (row - (skip + i) % row + by - 1) / by;
    const auto here = static_cast<Rank>(std::min<Wide>(left, count));
    const Wide step = Wide{dim[0].step} * by;
    out.push_back(run((*this)[i], here > 1 && fits(step) ? static_cast<Rank>(step) : 1, here));
    i += Wide{here} * by;
    count -= here;
  }
}

Piece Piece::mapped(Rank start, Rank factor) const {
  Piece p = *this;
  p.first = static_cast<Rank>(start + Wide{first} * factor);
  for (int d = 0; d < dims; ++d) p.dim[d].step = static_cast<Rank>(Wide{dim[d].step} * factor);
  return p;
}

}  // namespace heddle::group
