// group/sets.cpp: groups as sets, with union, intersection, difference and comparison. Two
// progressions meet in a progression (Chinese remainders), which is enough for descriptions of few
// runs. Other groups take one pass.
#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "group/compose.hpp"
#include "group/operations.hpp"

namespace heddle::group {
namespace {

using Wide = std::int64_t;

/// With more pairs of runs, a pass over the members is quicker.
constexpr std::size_t most_pairs = 4096;

/// x with a · x = 1 modulo m, for a and m without a common divisor.
Wide inverse(Wide a, Wide m) {
  Wide x = 0, next = 1, rest = m;
  for (a %= m; a != 0;) {
    const Wide quotient = rest / a;
    rest = std::exchange(a, rest % a);
    x = std::exchange(next, x - quotient * next);
  }
  return m == 1 ? 0 : (x % m + m) % m;
}

/// The places of run a whose members are also in run b. They are a run again, of size 0 if there
/// are none.
Piece meeting(const Piece& a, const Piece& b) {
  const Piece none = Piece::run(0, 1, 0);
  const Wide step = a.step(), other = std::abs(Wide{b.step()});
  const Wide low = std::min(b.first, b.last()), high = std::max(b.first, b.last());
  const Wide common = std::gcd(step, other);
  if ((low - a.first) % common != 0) return none;
  const Wide every = other / common;  // places of a that lie on b's lattice are this far apart
  const auto modulo = [&](Wide value) { return (value % every + every) % every; };
  Wide from = modulo((low - a.first) / common) * inverse(modulo(step / common), every) % every;
  // Among these places, those between b's ends.
  Wide begin = 0, end = Wide{a.size} - 1;
  const auto floor_div = [](Wide x, Wide y) { return x / y - ((x % y != 0 && (x < 0) != (y < 0)) ? 1 : 0); };
  const Wide first = step > 0 ? low : high, last = step > 0 ? high : low;
  begin = std::max(begin, -floor_div(-(first - a.first), step));
  end = std::min(end, floor_div(last - a.first, step));
  if (from < begin) from += (begin - from + every - 1) / every * every;
  if (from > end) return none;
  return Piece::run(static_cast<Rank>(from), static_cast<Rank>(every), static_cast<Rank>((end - from) / every + 1));
}

/// The rows of a group's pieces, if there are few.
std::optional<std::vector<Piece>> rows_of(const Group& group) {
  std::vector<Piece> pieces, rows;
  if (!group.pieces(pieces) || pieces.size() > most_pairs) return {};
  Wide count = 0;
  for (const Piece& piece : pieces) count += piece.dims == 1 ? 1 : (Wide{piece.skip} + piece.size) / piece.dim[0].count + 1;
  if (count > Wide{most_pairs}) return {};
  for (const Piece& piece : pieces) piece.rows([&](const Piece& row) { rows.push_back(row); });
  return rows;
}

/// Ranks of the first group whose members are also in the second, in any order. Nothing if
/// descriptions do not tell.
std::optional<std::vector<Piece>> shared(const Group& first, const Group& second) {
  const auto ours = rows_of(first), theirs = rows_of(second);
  if (!ours || !theirs || ours->size() * theirs->size() > most_pairs) return {};
  std::vector<Piece> found;
  Rank start = 0;
  for (const Piece& row : *ours) {
    for (const Piece& other : *theirs) {
      Piece meet = meeting(row, other);
      meet.first += start;
      if (meet.size > 0) found.push_back(meet);
    }
    start += row.size;
  }
  return found;
}

Group encoded(const std::vector<Piece>& pieces) {
  Encoder encoder;
  for (const Piece& piece : pieces) encoder.add(piece);
  return encoder.finish();
}

}  // namespace

Group difference(const Group& first, const Group& second) {
  if (first.empty() || second.empty()) return first;
  if (const auto both = shared(first, second)) return exclude(first, encoded(*both));
  return subset(first, [&](Rank, Rank world) { return !second.contains(world); });
}

Group intersection(const Group& first, const Group& second) {
  if (first.empty() || second.empty()) return {};
  if (auto both = shared(first, second)) {
    std::sort(both->begin(), both->end(), [](const Piece& a, const Piece& b) { return a.first < b.first; });
    bool apart = true;
    for (std::size_t i = 1; i < both->size(); ++i) apart = apart && (*both)[i - 1].last() < (*both)[i].first;
    if (apart) return select(first, encoded(*both));
  }
  return subset(first, [&](Rank, Rank world) { return second.contains(world); });
}

Group merge(const Group& low, const Group& high) {
  if (high.empty()) return low;
  Encoder encoder;
  append(encoder, low);
  append(encoder, high);
  return encoder.finish();
}

Group union_of(const Group& first, const Group& second) { return merge(first, difference(second, first)); }

Comparison compare(const Group& first, const Group& second) {
  if (first.size() != second.size()) return Comparison::unequal;
  Rank same = 0;
  while (same < first.size() && first.world_rank(same) == second.world_rank(same)) ++same;
  if (same == first.size()) return Comparison::identical;
  Rank there = 0;
  while (there < first.size() && second.contains(first.world_rank(there))) ++there;
  return there == first.size() ? Comparison::similar : Comparison::unequal;
}

}  // namespace heddle::group
