// mpi/calls/isend.cpp: the four non-blocking sends: packed, then sent as the host sends contiguous data.
#include "mpi/rendezvous/sends.hpp"
#include "mpi/rendezvous/watch.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/send.hpp"

namespace heddle::mpi {
namespace {

Done isend(Mode mode, const Buffer& data, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  if (dest == MPI_PROC_NULL || comm == MPI_COMM_NULL || !request || !requests::table.room()) return {};
  const BegunSend begun = begin_send(mode, data, Derived(hold_any(data.type)), dest, tag, comm);
  if (begun.result != MPI_SUCCESS) return begun.result;
  *request = begun.request;
  if (begun.pending) requests::track_unless_done(begun.request, begun.pending);
  return begun.result;
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_ISEND(name, Integer, mode)                                                                 \
  int MPI_##name(const void* buf, Integer count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm, \
                 MPI_Request* request) {                                                                  \
    if (sends(count, datatype, tag)) {                                                                    \
      Watch::look();                                                                                      \
      if (const Done done = isend(mode, {buf, count, datatype}, dest, tag, comm, request)) return *done;  \
    }                                                                                                     \
    return PMPI_##name(buf, count, datatype, dest, tag, comm, request);                                   \
  }

extern "C" {
HEDDLE_ISEND(Isend, int, Mode::standard)
HEDDLE_ISEND(Ibsend, int, Mode::buffered)
HEDDLE_ISEND(Issend, int, Mode::synchronous)
HEDDLE_ISEND(Irsend, int, Mode::ready)
#if HEDDLE_LARGE_COUNTS
HEDDLE_ISEND(Isend_c, MPI_Count, Mode::standard)
HEDDLE_ISEND(Ibsend_c, MPI_Count, Mode::buffered)
HEDDLE_ISEND(Issend_c, MPI_Count, Mode::synchronous)
HEDDLE_ISEND(Irsend_c, MPI_Count, Mode::ready)
#endif
}
