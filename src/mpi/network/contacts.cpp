// mpi/network/contacts.cpp: what ranks tell each other of the fabric, by short messages of the host's.
//
//   sender   have_you(fabric) ──▶ receiver   opens its own, if it has not yet
//                ◀── have, have_not ──       have_not also later, if its threads begin to probe
//            unwanted(message) ◀── receiver  of a message that is longer than its receive
//                ◀── lost(message) ──        the fabric has not brought it: the host is to
//                gone(message) ──▶           but the sender took it for delivered, and has it no more: an error
#include <algorithm>
#include <exception>
#include <utility>

#include "mpi/network/network.hpp"
#include "mpi/process/lock.hpp"

namespace heddle::mpi {
namespace {

constexpr int words = 0;  // tag

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
  const auto [contact, fresh] = contacts_.try_emplace(world, false);
  if (fresh) tell(world, {Word::have_you, mark()});
  return contact->second;
} catch (const std::exception&) {
  return false;
}

void Network::set_probes() noexcept try {
  if (!concurrent.load(std::memory_order_relaxed) || probes_.exchange(true)) return;
  const std::scoped_lock hold(words_lock_);
  for (const int world : askers_) tell(world, {Word::have_not, mark()});
} catch (const std::exception&) {
  return;
}

void Network::tell_sender(const NetworkDescriptor& descriptor, Word::Kind what) noexcept try {
  tell(descriptor.sender, {what, descriptor.announcement.from});
} catch (const std::exception&) {
  return;  // its sender keeps the message, to no end
}

void Network::take(const Word& word, int from) {
  switch (word.kind) {
    case Word::have_you: {
      askers_.push_back(from);
      const bool has = open() && word.number == mark() && !probes_;
      return tell(from, {has ? Word::have : Word::have_not, mark()});
    }
    case Word::have:
    case Word::have_not:
      contacts_.insert_or_assign(from, word.kind == Word::have);
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
