// engine/network/wireup.cpp: the steps of the first contact with a peer.
#include "engine/network/wireup.hpp"

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace heddle::engine {
namespace {

/// The number of times that a rank is asked whether it can be reached, and of greetings that try
/// it. Several tries are needed, because a rank that is there sometimes refuses a connection
/// (libfabric's rxm over verbs).
constexpr int most_times = 3;

/// ns within which a greeting must be answered. No message waits for it.
constexpr std::int64_t for_an_answer = 10'000'000'000;
/// ns from a refused greeting to the next.
constexpr std::int64_t between_greetings = 300'000'000;

}  // namespace

bool Wireup::reaches(int rank) noexcept try {
  const std::scoped_lock hold(lock_);
  if (sends_plainly_) return false;
  Peer& peer = peers_[rank];
  if (peer.times == 0) ask(rank, peer);
  return peer.reached;
} catch (const std::exception&) {
  return false;
}

/// The thread stays awake until the answer, because the answer comes by the fabric first.
void Wireup::ask(int rank, Peer& peer) {
  const Word question{Word::have_you, fabric_.mark(), SharedFabric::Access(fabric_)->whereabouts()};
  messenger_.tell(rank, question);
  peer.asked = true;
  ++peer.times;
  fabric_.begins();
}

void Wireup::answered(int rank, bool reached) {
  Peer& peer = peers_[rank];
  peer.reached = reached;
  if (std::exchange(peer.asked, false)) fabric_.ends();
}

void Wireup::doubt(int rank) noexcept try {
  const std::scoped_lock hold(lock_);
  Peer& peer = peers_[rank];
  if (!std::exchange(peer.reached, false) || peer.asked || peer.times >= most_times) return;
  ask(rank, peer);
} catch (const std::exception&) {
  return;  // messages to that rank go packed
}

void Wireup::greet(const Word& word, int from) {
  if (std::ranges::any_of(greetings_, [from](const Greeting& each) { return each.rank == from; })) return;
  Greeting greeting{.rank = from, .where = word.where, .since = transport::fabric::steady_ns()};
  if (!SharedFabric::Access(fabric_)->greet(greeting.where, greeting.peer))
    return messenger_.tell(from, {Word::have_not, fabric_.mark()});
  greetings_.push_back(greeting);
  fabric_.begins();
}

/// True: that rank has answered the greeting. Empty: not known yet.
std::optional<bool> Wireup::welcomed(Greeting& greeting) {
  const std::int64_t waited = transport::fabric::steady_ns() - greeting.since;
  const SharedFabric::Access fabric(fabric_);
  if (fabric->welcomed(greeting.peer)) return true;
  if (waited > for_an_answer) {
    fabric->lose(greeting.peer);
    return false;
  }
  if (!fabric->gone(greeting.peer) || waited < greeting.times * between_greetings) return {};
  const bool again = ++greeting.times < most_times && fabric->greet(greeting.where, greeting.peer);
  return again ? std::optional<bool>() : false;
}

void Wireup::look_at_greetings() noexcept try {
  const std::scoped_lock hold(lock_);
  std::erase_if(greetings_, [this](Greeting& each) {
    const std::optional<bool> heard = welcomed(each);
    if (!heard) return false;
    if (!*heard) messenger_.complain_of(each.rank);
    const bool welcome = *heard && !wants_none_;
    if (welcome) announcing_.insert(each.rank);
    messenger_.tell(each.rank, {welcome ? Word::have : Word::have_not, fabric_.mark()});
    fabric_.ends();
    return true;
  });
} catch (const std::exception&) {
  return;  // no memory: the rank that has asked goes on without the fabric
}

bool Wireup::greets() noexcept {
  const std::scoped_lock hold(lock_);
  return !greetings_.empty();
}

void Wireup::want_none() noexcept try {
  if (wants_none_.exchange(true)) return;
  const std::scoped_lock hold(lock_);
  for (const int rank : askers_) messenger_.tell(rank, {Word::have_not, fabric_.mark()});
} catch (const std::exception&) {
  return;
}

void Wireup::tell_of_plain() noexcept try {
  const std::scoped_lock hold(lock_);
  if (sends_plainly_.load(std::memory_order_relaxed)) return;
  for (const auto& [rank, peer] : peers_)
    if (peer.times > 0) messenger_.tell(rank, {Word::plain});
  sends_plainly_.store(true, std::memory_order_release);  // the messages of other threads must not overtake these
} catch (const std::exception&) {
  return;
}

bool Wireup::announces(int rank) noexcept {
  const std::scoped_lock hold(lock_);
  return announcing_.contains(rank) && !plain_.contains(rank);
}

void Wireup::scatter_hint(int rank, layout::Bytes block) noexcept try {
  const std::scoped_lock hold(lock_);
  if (!hinted_.insert(rank).second) return;
  const auto bytes = std::clamp<layout::Bytes>(block, 1, std::numeric_limits<int>::max());
  messenger_.tell(rank, {Word::scatters, static_cast<std::uint32_t>(bytes)});
} catch (const std::exception&) {
  return;
}

layout::Bytes Wireup::scattered_by(int rank) noexcept try {
  const std::scoped_lock hold(lock_);
  const auto peer = peers_.find(rank);
  return peer == peers_.end() ? 0 : peer->second.block;
} catch (const std::exception&) {
  return 0;
}

bool Wireup::take(const Word& word, int from) {
  const std::scoped_lock hold(lock_);
  switch (word.kind) {
    case Word::have_you:
      askers_.push_back(from);
      if (fabric_.is_open() && word.number == fabric_.mark() && !wants_none_)
        greet(word, from);
      else
        messenger_.tell(from, {Word::have_not, fabric_.mark()});
      return true;
    case Word::have:
    case Word::have_not:
      answered(from, word.kind == Word::have);
      return true;
    case Word::plain:
      plain_.insert(from);
      return true;
    case Word::scatters:
      peers_[from].block = word.number;
      move_pieces();
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::engine
