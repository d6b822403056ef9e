// The contents of messages in the simulator, and the state that all ranks must reach.
#pragma once

#include <string>
#include <vector>

#include "simulator.hpp"

namespace heddle::schedule {

/// Allgatherv: the segments of each block that each rank has.
class Blocks {
 public:
  struct Payload {};

  explicit Blocks(const Place& place)
      : ranks_(place.ranks),
        pieces_(place.ranks, 1, [&](Rank of) { return place.pieces != nullptr ? place.pieces->of(of) : 1; }),
        has_(size(ranks_) * size(pieces_.all()), 0) {
    for (Rank rank = 0; rank < ranks_; ++rank)
      for (Count segment = 0; segment < pieces_.of(rank); ++segment) at(rank, rank, segment) = 1;
  }

  Payload send(Rank rank, const Send& one) {
    each(one, [&](Rank origin, Count segment) {
      if (at(rank, origin, segment) == 0) wrong_ = std::to_string(rank) + " sends what it has not got";
    });
    return {};
  }
  void receive(Rank rank, const Receive& one, Payload&) {
    each(one, [&](Rank origin, Count segment) {
      if (at(rank, origin, segment)++ != 0) wrong_ = std::to_string(rank) + " gets a block twice";
    });
  }

  /// Empty: every rank has every block.
  [[nodiscard]] std::string wrong() const {
    if (!wrong_.empty()) return wrong_;
    for (const char one : has_)
      if (one != 1) return "not all has come";
    return {};
  }

 private:
  static std::size_t size(Count n) { return static_cast<std::size_t>(n); }
  char& at(Rank rank, Rank origin, Count segment) {
    return has_[size(Count{rank} * pieces_.all() + pieces_.before(origin) + segment)];
  }
  template <class Message, class Visit>
  void each(const Message& one, const Visit& visit) {
    one.what.for_each([&](Rank origin) {
      const bool all = one.part.of == 1;
      if (!all && one.part.of != pieces_.of(origin)) wrong_ = "a block is cut in two ways";
      const Count end = all ? pieces_.of(origin) : one.part.index + 1;
      for (Count segment = one.part.index; segment < end; ++segment) visit(origin, segment);
    });
  }

  Rank ranks_;
  Pieces pieces_;  ///< One for a whole block.
  std::vector<char> has_;
  std::string wrong_;
};

/// Alltoallv: one token for each pair of ranks, or only for pairs that are near enough
/// (Place::reach). The tokens that a rank holds for one destination form a chain.
class Tokens {
 public:
  struct Payload {
    std::int32_t first = none;
  };

  explicit Tokens(const Place& place)
      : ranks_(place.ranks), near_(place), next_(size(ranks_) * size(ranks_), none), held_(next_) {
    for (Rank origin = 0; origin < ranks_; ++origin)
      for (Rank to = 0; to < ranks_; ++to)
        if (bruck_takes(place, origin, to)) held(origin, to) = origin * ranks_ + to;
  }

  Payload send(Rank rank, const Send& one) {
    if (one.what.contains(rank)) wrong_ = std::to_string(rank) + " sends away what is its own";
    Payload load;
    if (one.part.index > 0) return load;  // the first channel carries all tokens
    one.what.for_each([&](Rank to) {
      const std::int32_t chain = std::exchange(held(rank, to), none);
      if (chain == none) return;
      std::int32_t last = chain;
      for (++moved_; next_[size(last)] != none; last = next_[size(last)]) ++moved_;
      next_[size(last)] = load.first;
      load.first = chain;
    });
    return load;
  }
  void receive(Rank rank, const Receive& one, Payload& load) {
    for (std::int32_t token = load.first; token != none;) {
      const Rank to = token % ranks_;
      if (!one.what.contains(to)) wrong_ = std::to_string(rank) + " gets what is for somebody else";
      const std::int32_t rest = std::exchange(next_[size(token)], held(rank, to));
      held(rank, to) = token;
      token = rest;
    }
  }

  /// Empty: every token is where it belongs.
  [[nodiscard]] std::string wrong() const {
    if (!wrong_.empty()) return wrong_;
    for (Rank to = 0; to < ranks_; ++to) {
      Rank count = 0;
      Rank all = 0;
      for (Rank origin = 0; origin < ranks_; ++origin) all += bruck_takes(near_, origin, to) ? 1 : 0;
      for (std::int32_t token = held_[size(Count{to} * ranks_ + to)]; token != none; token = next_[size(token)]) ++count;
      if (count != all) return std::to_string(to) + " has got " + std::to_string(count);
    }
    return {};
  }
  /// Blocks that moved, over all messages.
  [[nodiscard]] Count moved() const { return moved_; }

 private:
  static constexpr std::int32_t none = -1;
  static std::size_t size(Count n) { return static_cast<std::size_t>(n); }
  std::int32_t& held(Rank rank, Rank to) { return held_[size(Count{rank} * ranks_ + to)]; }

  Rank ranks_;
  Place near_;
  std::vector<std::int32_t> next_, held_;
  Count moved_ = 0;
  std::string wrong_;
};

}  // namespace heddle::schedule
