// mpi/network/words.cpp: what ranks tell each other of the fabric and its messages (engine/contacts.hpp), by short messages of
// the host's.
#include <algorithm>
#include <exception>
#include <string>
#include <utility>

#include "mpi/network/network.hpp"
#include "mpi/process/say.hpp"
#include "threads/lock.hpp"

namespace heddle::mpi {
namespace {

constexpr int words = 0;  // tag

}  // namespace

bool Network::talks() noexcept {
  const std::scoped_lock hold(contacts_.lock());
  for (auto each = words_.begin(); each != words_.end();) {
    int done = 0;
    PMPI_Test(&each->request, &done, MPI_STATUS_IGNORE);
    each = done ? words_.erase(each) : std::next(each);
  }
  return !words_.empty();
}

void Network::tell(int world, const Word& word) {
  talks();
  const std::scoped_lock hold(contacts_.lock());
  Sent& sent = words_.emplace_back();
  sent.word = word;
  PMPI_Issend(&sent.word, sizeof sent.word, MPI_BYTE, world, words, comm_, &sent.request);
}

void Network::complain_of(int world) {
  say_once_verbose("messages from some ranks of other nodes come through the MPI library",
                   ("rank " + std::to_string(world) + " of MPI_COMM_WORLD is not reached by the fabric").c_str());
}

bool Network::reaches(int world) noexcept {
  if (!open()) return false;
  hear();
  return contacts_.reaches(world);
}

void Network::set_probes() noexcept {
  if (threads::concurrent.load(std::memory_order_relaxed)) contacts_.want_none();
}

void Network::scatter_hint(int world, Bytes block) noexcept {
  if (world >= 0 && open()) contacts_.scatter_hint(world, block);
}

void Network::tell_sender(const engine::NetworkDescriptor& descriptor, Word::Kind what) noexcept try {
  tell(descriptor.sender, {what, descriptor.announcement.from});
} catch (const std::exception&) {
  return;  // its sender keeps the message, to no end
}

/// What was said of messages goes to their operations. With operations_lock_.
void Network::hand_on() noexcept try {
  const std::scoped_lock hold(contacts_.lock());
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
    const std::scoped_lock hold(contacts_.lock());
    if (!contacts_.take(word, status.MPI_SOURCE)) of_messages_.push_back({word, status.MPI_SOURCE});
  }
} catch (const std::exception&) {
  return;  // no memory: nobody is answered, and nothing is announced
}

}  // namespace heddle::mpi
