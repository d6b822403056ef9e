// mpi/network/contacts.cpp: what ranks tell each other of the fabric, by short messages of the host's.
//
//   sender   have_you(fabric, where) ──▶ receiver   opens its own, if it has not yet, and says hello by it
//                ◀── have, have_not ──       the sender has answered by the fabric; or has not. have_not also later, if the
//                                            receiver's threads begin to probe
//            unwanted(message) ◀── receiver  of a message that is longer than its receive
//                ◀── lost(message) ──        the fabric has not brought it: the host is to
//                gone(message) ──▶           but the sender took it for delivered, and has it no more: an error
//              ◀── scatters(block) ──        of a message that came in one piece, by the host: the next may be announced
#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

#include "mpi/network/network.hpp"
#include "mpi/process/say.hpp"
#include "threads/lock.hpp"

namespace heddle::mpi {
namespace {

constexpr int words = 0;  // tag

/// A rank is asked so often whether it is reached, and greeted so often to see: connections are refused now and then by who is
/// there (libfabric's rxm over verbs).
constexpr int most_times = 3;

/// ns that a greeting has to be answered. No message waits for it.
constexpr std::int64_t for_an_answer = 10'000'000'000;
/// ns from one that was refused to the next.
constexpr std::int64_t between_greetings = 300'000'000;

}  // namespace

/// Of the fabric that is open; 0: of none.
std::uint32_t Network::mark() const noexcept {
  return open_.load(std::memory_order_acquire) ? 1U + transport::fabric::mark_of(fabric_->abilities().provider) : 0;
}

void Network::tell(int world, Word word) {
  const std::scoped_lock hold(words_lock_);
  for (auto each = words_.begin(); each != words_.end();) {
    int done = 0;
    PMPI_Test(&each->request, &done, MPI_STATUS_IGNORE);
    each = done ? words_.erase(each) : std::next(each);
  }
  Sent& sent = words_.emplace_back();
  sent.word = word;
  PMPI_Isend(&sent.word, sizeof sent.word, MPI_BYTE, world, words, comm_, &sent.request);
}

bool Network::reaches(int world) noexcept try {
  if (!open()) return false;
  hear();
  const std::scoped_lock hold(words_lock_);
  Contact& contact = contacts_[world];
  if (contact.times == 0) ask(world, contact);
  return contact.reached;
} catch (const std::exception&) {
  return false;
}

/// The thread is awake until the answer, for it comes by the fabric first.
void Network::ask(int world, Contact& contact) {
  const Word question{Word::have_you, mark(), Access(*this)->whereabouts()};
  tell(world, question);
  contact.asked = true;
  ++contact.times;
  begins();
}

void Network::answered(int world, bool reached) {
  Contact& contact = contacts_[world];
  contact.reached = reached;
  if (std::exchange(contact.asked, false)) ends();
}

void Network::doubt(int world) noexcept try {
  const std::scoped_lock hold(words_lock_);
  Contact& contact = contacts_[world];
  if (!std::exchange(contact.reached, false) || contact.asked || contact.times >= most_times) return;
  ask(world, contact);
} catch (const std::exception&) {
  return;  // what goes to that rank goes packed
}

void Network::greet(const Word& word, int from) {
  if (std::ranges::any_of(greetings_, [from](const Greeting& each) { return each.world == from; })) return;
  Greeting greeting{.world = from, .where = word.where, .since = transport::fabric::steady_ns()};
  if (!Access(*this)->greet(greeting.where, greeting.peer)) return tell(from, {Word::have_not, mark()});
  greetings_.push_back(greeting);
  begins();
}

/// Empty: not known yet.
std::optional<bool> Network::welcomed(Greeting& greeting) {
  const std::int64_t waited = transport::fabric::steady_ns() - greeting.since;
  const Access fabric(*this);
  if (fabric->welcomed(greeting.peer)) return true;
  if (waited > for_an_answer) {
    fabric->lose(greeting.peer);
    return false;
  }
  if (!fabric->gone(greeting.peer) || waited < greeting.times * between_greetings) return {};
  const bool again = ++greeting.times < most_times && fabric->greet(greeting.where, greeting.peer);
  return again ? std::optional<bool>() : false;
}

void Network::look_at_greetings() noexcept try {
  const std::scoped_lock hold(words_lock_);
  std::erase_if(greetings_, [this](Greeting& each) {
    const std::optional<bool> heard = welcomed(each);
    if (!heard) return false;
    if (!*heard)
      say_once_verbose("messages from some ranks of other nodes come through the MPI library",
                       ("rank " + std::to_string(each.world) + " of MPI_COMM_WORLD is not reached by the fabric").c_str());
    tell(each.world, {*heard && !probes_ ? Word::have : Word::have_not, mark()});
    ends();
    return true;
  });
} catch (const std::exception&) {
  return;  // no memory: who has asked goes on without the fabric
}

void Network::set_probes() noexcept try {
  if (!threads::concurrent.load(std::memory_order_relaxed) || probes_.exchange(true)) return;
  const std::scoped_lock hold(words_lock_);
  for (const int world : askers_) tell(world, {Word::have_not, mark()});
} catch (const std::exception&) {
  return;
}

void Network::scatter_hint(int world, Bytes block) noexcept try {
  if (world < 0 || !open()) return;
  const std::scoped_lock hold(words_lock_);
  if (!hinted_.insert(world).second) return;
  tell(world, {Word::scatters, static_cast<std::uint32_t>(std::clamp<Bytes>(block, 1, std::numeric_limits<int>::max()))});
} catch (const std::exception&) {
  return;
}

Bytes Network::scattered_by(int world) noexcept try {
  const std::scoped_lock hold(words_lock_);
  const auto contact = contacts_.find(world);
  return contact == contacts_.end() ? 0 : contact->second.block;
} catch (const std::exception&) {
  return 0;
}

void Network::tell_sender(const engine::NetworkDescriptor& descriptor, Word::Kind what) noexcept try {
  tell(descriptor.sender, {what, descriptor.announcement.from});
} catch (const std::exception&) {
  return;  // its sender keeps the message, to no end
}

void Network::take(const Word& word, int from) {
  switch (word.kind) {
    case Word::have_you:
      askers_.push_back(from);
      if (open() && word.number == mark() && !probes_) return greet(word, from);
      return tell(from, {Word::have_not, mark()});
    case Word::have:
    case Word::have_not:
      return answered(from, word.kind == Word::have);
    case Word::scatters:
      contacts_[from].block = word.number;
      moves_pieces_.store(true, std::memory_order_relaxed);
      return;
    default:
      of_messages_.push_back({word, from});
  }
}

/// What was said of messages goes to their operations. With operations_lock_.
void Network::hand_on() noexcept try {
  const std::scoped_lock hold(words_lock_);
  for (const auto& [word, from] : std::exchange(of_messages_, {})) {
    const bool known = std::ranges::any_of(operations_, [&](const auto& each) { return each->hears(word, from); });
    if (!known && word.kind == Word::lost) tell(from, {Word::gone, word.number});
  }
} catch (const std::exception&) {
  return;  // no memory: whoever waits for that answer waits on
}

/// Keeps the host going, too.
void Network::hear() noexcept try {
  for (int found = 0;;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (PMPI_Improbe(MPI_ANY_SOURCE, words, comm_, &found, &message, &status) != MPI_SUCCESS || !found) return;
    Word word;
    if (PMPI_Mrecv(&word, sizeof word, MPI_BYTE, &message, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    if (word.kind == Word::have_you) open();  // it takes milliseconds: before the lock
    const std::scoped_lock hold(words_lock_);
    take(word, status.MPI_SOURCE);
  }
} catch (const std::exception&) {
  return;  // no memory: nobody is answered, and nothing is announced
}

}  // namespace heddle::mpi
