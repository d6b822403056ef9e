// engine/network/contexts.cpp: the contexts that each peer knows, and those that this rank has
// learnt.
#include "engine/network/contexts.hpp"

#include <iterator>

namespace heddle::engine {
namespace {

/// The lowest, but not `context`, which has just come. `known` has others.
template <class Contexts>
auto other_than(Contexts& known, std::uint32_t context) {
  const auto lowest = known.begin();
  return lowest == known.find(context) ? std::next(lowest) : lowest;
}

}  // namespace

bool Contexts::may_announce(int to, std::uint32_t context) noexcept {
  const std::scoped_lock hold(lock_);
  const auto found = to_.find(to);
  return found == to_.end() || context == 0 || found->second.unknown == 0 || found->second.unknown == context ||
         found->second.known.contains(context);
}

bool Contexts::announce(int to, std::uint32_t context) {
  const std::scoped_lock hold(lock_);
  if (context == 0) return true;
  To& rank = to_[to];
  if (rank.known.contains(context)) return true;
  if (rank.unknown == 0) rank.unknown = context;
  return rank.unknown == context;
}

bool Contexts::asks(int to, std::uint32_t context) noexcept {
  const std::scoped_lock hold(lock_);
  const auto found = to_.find(to);
  return context != 0 && (found == to_.end() || !found->second.known.contains(context));
}

void Contexts::known_by(int rank, std::uint32_t context) {
  const std::scoped_lock hold(lock_);
  To& to = to_[rank];
  to.known.insert(context);
  if (to.known.size() > most) to.known.erase(other_than(to.known, context));
  if (to.unknown == context) to.unknown = 0;
}

void Contexts::learn(int from, std::uint32_t context, std::uint32_t own) {
  const std::scoped_lock hold(lock_);
  if (context == 0 || own == 0) return;
  From& rank = from_[from];
  rank.own[context] = own;
  rank.contexts[own] = context;
  if (rank.own.size() <= most) return;
  const auto oldest = other_than(rank.own, context);
  rank.contexts.erase(oldest->second);
  rank.own.erase(oldest);
}

bool Contexts::may_be(int from, std::uint32_t context, std::uint32_t own) noexcept {
  const std::scoped_lock hold(lock_);
  const auto rank = from_.find(from);
  if (rank == from_.end() || context == 0 || own == 0) return true;
  const auto known = rank->second.own.find(context);
  return known != rank->second.own.end() ? known->second == own : !rank->second.contexts.contains(own);
}

}  // namespace heddle::engine
