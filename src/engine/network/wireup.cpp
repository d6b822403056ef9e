// engine/network/wireup.cpp
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

bool Contacts::reaches(int rank) noexcept try {
  const std::scoped_lock hold(lock_);
  if (sends_plainly_) return false;
  Contact& contact = contacts_[rank];
  if (contact.times == 0) ask(rank, contact);
  return contact.reached;
} catch (const std::exception&) {
  return false;
}

/// The thread stays awake until the answer, because the answer comes by the fabric first.
void Contacts::ask(int rank, Contact& contact) {
  const Word question{Word::have_you, fabric_.mark(), SharedFabric::Access(fabric_)->whereabouts()};
  voice_.tell(rank, question);
  contact.asked = true;
  ++contact.times;
  fabric_.begins();
}

void Contacts::answered(int rank, bool reached) {
  Contact& contact = contacts_[rank];
  contact.reached = reached;
  if (std::exchange(contact.asked, false)) fabric_.ends();
}

void Contacts::doubt(int rank) noexcept try {
  const std::scoped_lock hold(lock_);
  Contact& contact = contacts_[rank];
  if (!std::exchange(contact.reached, false) || contact.asked || contact.times >= most_times) return;
  ask(rank, contact);
} catch (const std::exception&) {
  return;  // messages to that rank go packed
}

void Contacts::greet(const Word& word, int from) {
  if (std::ranges::any_of(greetings_, [from](const Greeting& each) { return each.rank == from; })) return;
  Greeting greeting{.rank = from, .where = word.where, .since = transport::fabric::steady_ns()};
  if (!SharedFabric::Access(fabric_)->greet(greeting.where, greeting.peer))
    return voice_.tell(from, {Word::have_not, fabric_.mark()});
  greetings_.push_back(greeting);
  fabric_.begins();
}

/// True: that rank has answered the greeting. Empty: not known yet.
std::optional<bool> Contacts::welcomed(Greeting& greeting) {
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

void Contacts::look_at_greetings() noexcept try {
  const std::scoped_lock hold(lock_);
  std::erase_if(greetings_, [this](Greeting& each) {
    const std::optional<bool> heard = welcomed(each);
    if (!heard) return false;
    if (!*heard) voice_.complain_of(each.rank);
    const bool welcome = *heard && !wants_none_;
    if (welcome) announcing_.insert(each.rank);
    voice_.tell(each.rank, {welcome ? Word::have : Word::have_not, fabric_.mark()});
    fabric_.ends();
    return true;
  });
} catch (const std::exception&) {
  return;  // no memory: the rank that has asked goes on without the fabric
}

bool Contacts::greets() noexcept {
  const std::scoped_lock hold(lock_);
  return !greetings_.empty();
}

void Contacts::want_none() noexcept try {
  if (wants_none_.exchange(true)) return;
  const std::scoped_lock hold(lock_);
  for (const int rank : askers_) voice_.tell(rank, {Word::have_not, fabric_.mark()});
} catch (const std::exception&) {
  return;
}

void Contacts::tell_of_plain() noexcept try {
  const std::scoped_lock hold(lock_);
  if (sends_plainly_.exchange(true)) return;
  for (const auto& [rank, contact] : contacts_)
    if (contact.times > 0) voice_.tell(rank, {Word::plain});
} catch (const std::exception&) {
  return;
}

bool Contacts::announces(int rank) noexcept {
  const std::scoped_lock hold(lock_);
  return announcing_.contains(rank) && !plain_.contains(rank);
}

void Contacts::scatter_hint(int rank, layout::Bytes block) noexcept try {
  const std::scoped_lock hold(lock_);
  if (!hinted_.insert(rank).second) return;
  const auto bytes = std::clamp<layout::Bytes>(block, 1, std::numeric_limits<int>::max());
  voice_.tell(rank, {Word::scatters, static_cast<std::uint32_t>(bytes)});
} catch (const std::exception&) {
  return;
}

layout::Bytes Contacts::scattered_by(int rank) noexcept try {
  const std::scoped_lock hold(lock_);
  const auto contact = contacts_.find(rank);
  return contact == contacts_.end() ? 0 : contact->second.block;
} catch (const std::exception&) {
  return 0;
}

bool Contacts::take(const Word& word, int from) {
  const std::scoped_lock hold(lock_);
  switch (word.kind) {
    case Word::have_you:
      askers_.push_back(from);
      if (fabric_.is_open() && word.number == fabric_.mark() && !wants_none_)
        greet(word, from);
      else
        voice_.tell(from, {Word::have_not, fabric_.mark()});
      return true;
    case Word::have:
    case Word::have_not:
      answered(from, word.kind == Word::have);
      return true;
    case Word::plain:
      plain_.insert(from);
      return true;
    case Word::scatters:
      contacts_[from].block = word.number;
      move_pieces();
      return true;
    default:
      return false;
  }
}

}  // namespace heddle::engine
