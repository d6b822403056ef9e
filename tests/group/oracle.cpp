// tests/group/oracle.cpp: the operations on plain vectors, as the standard words them.
#include "oracle.hpp"

#include <algorithm>
#include <numeric>

#include "group/compose.hpp"
#include "group/formats.hpp"
#include "group/operations.hpp"

namespace heddle::group::test {
namespace {

using Ranks = std::vector<Rank>;

/// Marks the numbers of 0 ... size - 1 that are in `ranks`.
std::vector<bool> marked(const Ranks& ranks, std::size_t size) {
  std::vector<bool> marks(size);
  for (const Rank rank : ranks) marks[static_cast<std::size_t>(rank)] = true;
  return marks;
}

Ranks at(const Ranks& ranks, const Ranks& places) {
  Ranks out;
  for (const Rank place : places) out.push_back(ranks[static_cast<std::size_t>(place)]);
  return out;
}

Ranks without(const Ranks& ranks, const Ranks& places) {
  Ranks out;
  const std::vector<bool> gone = marked(places, ranks.size());
  for (std::size_t i = 0; i < ranks.size(); ++i)
    if (!gone[i]) out.push_back(ranks[i]);
  return out;
}

std::string listed(const Ranks& ranks) {
  std::string text;
  for (const Rank rank : ranks) text += (text.empty() ? "" : " ") + std::to_string(rank);
  return "[" + text + "]";
}

/// Some of 0 ... size - 1, once each, in many patterns.
Ranks places(int size, Dice& dice) {
  Ranks some;
  if (size == 0) return some;
  switch (dice.throw_one(7)) {
    case 0: {  // any
      const int share = 1 + dice.throw_one(8);
      for (int i = 0; i < size; ++i)
        if (dice.throw_one(8) < share) some.push_back(i);
      break;
    }
    case 1: {  // a progression
      const int first = dice.throw_one(size), step = 1 + dice.throw_one(std::min(size, 6));
      for (int i = first; i < size; i += step) some.push_back(i);
      break;
    }
    case 2: {  // a brick
      const int x = 1 + dice.throw_one(5), y = 1 + dice.throw_one(5), z = 1 + dice.throw_one(5);
      const int dx = 1, dy = x + dice.throw_one(4), dz = y * dy + dice.throw_one(4), first = dice.throw_one(size);
      for (int k = 0; k < z; ++k)
        for (int j = 0; j < y; ++j)
          for (int i = 0; i < x; ++i)
            if (const int place = first + i * dx + j * dy + k * dz; place < size) some.push_back(place);
      break;
    }
    case 3: {  // transposed
      const int columns = 1 + dice.throw_one(std::min(size, 12));
      for (int j = 0; j < columns; ++j)
        for (int i = j; i < size; i += columns) some.push_back(i);
      some.resize(static_cast<std::size_t>(1 + dice.throw_one(size)));
      break;
    }
    case 4: {  // stretches, with holes
      for (int i = dice.throw_one(size); i < size; i += 1 + dice.throw_one(9))
        for (int end = std::min(size, i + 1 + dice.throw_one(9)); i < end; ++i) some.push_back(i);
      break;
    }
    case 5: {  // shuffled
      some.resize(static_cast<std::size_t>(size));
      std::iota(some.begin(), some.end(), 0);
      for (int i = size - 1; i > 0; --i)
        std::swap(some[static_cast<std::size_t>(i)], some[static_cast<std::size_t>(dice.throw_one(i + 1))]);
      some.resize(static_cast<std::size_t>(1 + dice.throw_one(size)));
      break;
    }
    default: {  // all but every k-th
      const int k = 2 + dice.throw_one(8), from = dice.throw_one(k);
      for (int i = 0; i < size; ++i)
        if (i % k != from) some.push_back(i);
    }
  }
  if (dice.one_in(5)) std::reverse(some.begin(), some.end());
  return some;
}

/// Triplets that list no rank twice, and the ranks they list.
std::vector<Range> triplets(int size, Dice& dice, Ranks& ranks) {
  std::vector<Range> out;
  std::vector<bool> taken(static_cast<std::size_t>(size));
  for (int n = dice.one_in(8) ? 60 : dice.throw_one(4); n >= 0 && size > 0; --n) {
    Range range{dice.throw_one(size), dice.throw_one(size), 1 + dice.throw_one(5)};
    if (range.last < range.first) range.stride = -range.stride;
    Ranks mine;
    for (int i = range.first; range.stride > 0 ? i <= range.last : i >= range.last; i += range.stride) mine.push_back(i);
    if (std::any_of(mine.begin(), mine.end(), [&](Rank rank) { return taken[static_cast<std::size_t>(rank)]; })) continue;
    for (const Rank rank : mine) taken[static_cast<std::size_t>(rank)] = true;
    ranks.insert(ranks.end(), mine.begin(), mine.end());
    out.push_back(range);
  }
  return out;
}

Group encoded(const Ranks& ranks) {
  Encoder encoder;
  for (const Rank rank : ranks) encoder.add(rank);
  return encoder.finish();
}

Pair cartesian(const Pair& from, Dice& dice) {
  std::vector<Rank> dims, coordinates;
  std::array<bool, 6> remain{};
  int room = static_cast<int>(from.ranks.size());
  std::string flags;
  for (std::size_t d = 0; d < remain.size(); ++d) {
    dims.push_back(1 + dice.throw_one(std::min(room, 4)));
    coordinates.push_back(dice.throw_one(dims.back()));
    remain[d] = dice.one_in(2);
    flags += remain[d] ? '*' : '.';
    room /= dims.back();
  }
  Ranks ranks;
  const int all = std::accumulate(dims.begin(), dims.end(), 1, std::multiplies<>());
  for (int place = 0; place < all; ++place) {
    bool in = true;
    int rest = place;
    for (std::size_t d = dims.size(); d-- > 0; rest /= dims[d]) in = in && (remain[d] || rest % dims[d] == coordinates[d]);
    if (in) ranks.push_back(from.ranks[static_cast<std::size_t>(place)]);
  }
  return {cart_sub(from.group, dims, remain, coordinates), ranks,
          "cart_sub " + listed(dims) + " " + flags + " " + listed(coordinates)};
}

}  // namespace

int Dice::throw_one(int sides) {
  if (!listed_) return static_cast<int>(seeded_() >> 4) % sides;
  if (choices_.empty()) return 0;
  const auto choice = static_cast<int>(choices_.front() % static_cast<std::uint32_t>(sides));
  choices_ = choices_.subspan(1);
  return choice;
}

int world_size(Dice& dice) { return 1 + dice.throw_one(dice.one_in(150) ? 4000 : dice.one_in(3) ? 160 : 40); }

Pair world(int size) {
  Pair pair{Group::world(size), Ranks(static_cast<std::size_t>(size)), "world " + std::to_string(size)};
  std::iota(pair.ranks.begin(), pair.ranks.end(), 0);
  return pair;
}

Pair derive(const Pair& from, int size, Dice& dice) {
  const int members = static_cast<int>(from.ranks.size());
  Pair to;
  // A group that has become small mostly grows again.
  const int what = members < 1 + dice.throw_one(size) / 4 ? 5 : dice.throw_one(10);
  const Ranks others = what >= 5 && what <= 7 ? places(size, dice) : Ranks{};
  const auto marks = [&](const Ranks& ranks) { return marked(ranks, static_cast<std::size_t>(size)); };
  switch (what) {
    case 0: {
      const Ranks some = places(members, dice);
      to = {incl(from.group, some), at(from.ranks, some), "incl " + listed(some)};
      break;
    }
    case 1: {
      const Ranks some = places(members, dice);
      to = {excl(from.group, some), without(from.ranks, some), "excl " + listed(some)};
      break;
    }
    case 2: {
      Ranks some;
      const std::vector<Range> ranges = triplets(members, dice, some);
      to = {range_incl(from.group, ranges), at(from.ranks, some), "range_incl " + listed(some)};
      break;
    }
    case 3: {
      Ranks some;
      const std::vector<Range> ranges = triplets(members, dice, some);
      to = {range_excl(from.group, ranges), without(from.ranks, some), "range_excl " + listed(some)};
      break;
    }
    case 4: {
      const Ranks some = places(members, dice);
      to = {select(from.group, encoded(some)), at(from.ranks, some), "select " + listed(some)};
      break;
    }
    case 5: {
      to = {union_of(from.group, encoded(others)), from.ranks, "union " + listed(others)};
      const std::vector<bool> ours = marks(from.ranks);
      for (const Rank rank : others)
        if (!ours[static_cast<std::size_t>(rank)]) to.ranks.push_back(rank);
      break;
    }
    case 6: {
      to = {intersection(from.group, encoded(others)), {}, "intersection " + listed(others)};
      const std::vector<bool> theirs = marks(others);
      for (const Rank rank : from.ranks)
        if (theirs[static_cast<std::size_t>(rank)]) to.ranks.push_back(rank);
      break;
    }
    case 7: {
      to = {difference(from.group, encoded(others)), {}, "difference " + listed(others)};
      const std::vector<bool> theirs = marks(others);
      for (const Rank rank : from.ranks)
        if (!theirs[static_cast<std::size_t>(rank)]) to.ranks.push_back(rank);
      break;
    }
    case 8: {
      const int of = 1 + dice.throw_one(4), which = dice.throw_one(of);
      to = {subset(from.group, [&](Rank rank, Rank) { return rank % of == which; }), {}, "subset"};
      for (std::size_t i = 0; i < from.ranks.size(); ++i)
        if (static_cast<int>(i) % of == which) to.ranks.push_back(from.ranks[i]);
      break;
    }
    default:
      if (members == 0) return from;
      to = cartesian(from, dice);
  }
  to.made = from.made + "\n  " + to.made;
  return to;
}

Pair derived(int size, int depth, Dice& dice) {
  Pair pair = world(size);
  for (int level = 0; level < depth; ++level) pair = derive(pair, size, dice);
  return pair;
}

std::string difference_of(const Pair& pair, int size) {
  const auto about = [&](const std::string& what) {
    return what + " (" + std::string(entry(pair.group.format()).name) + ")\n" + pair.made + "\n  should be " +
           listed(pair.ranks);
  };
  const Group& group = pair.group;
  if (group.size() != static_cast<Rank>(pair.ranks.size())) return about("size " + std::to_string(group.size()));
  std::vector<Rank> back(static_cast<std::size_t>(size), undefined);
  for (Rank i = 0; i < group.size(); ++i) {
    const Rank rank = pair.ranks[static_cast<std::size_t>(i)];
    back[static_cast<std::size_t>(rank)] = i;
    if (group.world_rank(i) != rank) return about("member " + std::to_string(i) + " is " + std::to_string(group.world_rank(i)));
  }
  for (Rank rank = 0; rank < size; ++rank) {
    const Rank found = group.rank_of(rank);
    if (found != back[static_cast<std::size_t>(rank)])
      return about("world rank " + std::to_string(rank) + " is said to be " + std::to_string(found));
  }
  if (group.rank_of(-1) != undefined || group.rank_of(size) != undefined) return about("strangers are members");
  Ranks walked;
  group.each([&](Rank rank) { walked.push_back(rank); });
  if (walked != pair.ranks) return about("walks " + listed(walked));
  if (group.bytes() > std::max<std::size_t>(sizeof(Rank) * pair.ranks.size() + 80, Stride::bytes()))
    return about(std::to_string(group.bytes()) + " bytes");
  return {};
}

}  // namespace heddle::group::test
