// mpi/network/words.cpp: what ranks tell each other of the fabric and its messages (engine/contacts.hpp), by short messages of
// the host's.
#include <exception>
#include <string>

#include "mpi/network/network.hpp"
#include "mpi/process/say.hpp"

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

void Network::tell(int rank, const Word& word) {
  talks();
  const std::scoped_lock hold(contacts_.lock());
  Sent& sent = words_.emplace_back();
  sent.word = word;
  PMPI_Issend(&sent.word, sizeof sent.word, MPI_BYTE, rank, words, comm_, &sent.request);
}

void Network::complain_of(int rank) {
  say_once_verbose("messages from some ranks of other nodes come through the MPI library",
                   ("rank " + std::to_string(rank) + " of MPI_COMM_WORLD is not reached by the fabric").c_str());
}

/// Keeps the host going, too.
void Network::hear() noexcept try {
  for (int found = 0;;) {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Status status;
    if (PMPI_Improbe(MPI_ANY_SOURCE, words, comm_, &found, &message, &status) != MPI_SUCCESS || !found) return;
    Word word;
    if (PMPI_Mrecv(&word, sizeof word, MPI_BYTE, &message, MPI_STATUS_IGNORE) != MPI_SUCCESS) return;
    heard(word, status.MPI_SOURCE);
  }
} catch (const std::exception&) {
  return;  // no memory: nobody is answered, and nothing is announced
}

}  // namespace heddle::mpi
