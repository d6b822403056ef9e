// mpi/exchange/channel.cpp
#include "mpi/exchange/channel.hpp"

#include <algorithm>
#include <new>

namespace heddle::mpi {
namespace {

/// Bytes of one message of the host's: counts are int in all its procedures.
constexpr engine::Bytes longest = 1 << 30;

constexpr int tag = 0;  // order is kept, and that is enough

}  // namespace

/// post(offset, bytes, request) for each message that it takes. Without memory for the request it is waited for at once, which
/// a send must not be in general; but then the program is about to end.
template <class Post>
void Channel::begin(Row& row, engine::Bytes bytes, Post post) noexcept {
  for (engine::Bytes at = 0; at < bytes; at += longest) {
    MPI_Request request = MPI_REQUEST_NULL;
    note(post(at, static_cast<int>(std::min(bytes - at, longest)), &request));
    try {
      row.requests.push_back(request);
    } catch (const std::bad_alloc&) {
      note(PMPI_Wait(&request, MPI_STATUS_IGNORE));
    }
  }
}

void Channel::send(engine::Rank to, const std::byte* from, engine::Bytes bytes) noexcept {
  begin(sends_, bytes, [&](engine::Bytes at, int length, MPI_Request* request) {
    return PMPI_Isend(from + at, length, MPI_BYTE, to, tag, comm_, request);
  });
}

void Channel::receive(engine::Rank from, std::byte* to, engine::Bytes bytes) noexcept {
  begin(receives_, bytes, [&](engine::Bytes at, int length, MPI_Request* request) {
    return PMPI_Irecv(to + at, length, MPI_BYTE, from, tag, comm_, request);
  });
}

bool Channel::over(Row& row, bool wait) noexcept {
  for (; row.done < row.requests.size(); ++row.done) {
    int done = 1;
    const int error = wait ? PMPI_Wait(&row.requests[row.done], MPI_STATUS_IGNORE)
                           : PMPI_Test(&row.requests[row.done], &done, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && !done) return false;
    note(error);
  }
  row.requests.clear();
  row.done = 0;
  return true;
}

}  // namespace heddle::mpi
