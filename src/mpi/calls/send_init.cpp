// mpi/calls/send_init.cpp: the four persistent sends.
#include <memory>

#include "mpi/requests/completion.hpp"
#include "mpi/requests/persistent.hpp"

namespace heddle::mpi {
namespace {

Done make(Mode mode, const Buffer& data, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  const Number count{data.count};
  switch (mode) {
    case Mode::standard:
      return HEDDLE_HAND(!fits(data.count), Send_init, data.address, count, data.type, dest, tag, comm, request);
    case Mode::buffered:
      return HEDDLE_HAND(!fits(data.count), Bsend_init, data.address, count, data.type, dest, tag, comm, request);
    case Mode::synchronous:
      return HEDDLE_HAND(!fits(data.count), Ssend_init, data.address, count, data.type, dest, tag, comm, request);
    case Mode::ready:
      return HEDDLE_HAND(!fits(data.count), Rsend_init, data.address, count, data.type, dest, tag, comm, request);
  }
  return {};
}

Done send_init(Mode mode, const Buffer& data, int dest, int tag, MPI_Comm comm, MPI_Request* request) {
  if (dest == MPI_PROC_NULL || comm == MPI_COMM_NULL || !request || !requests::table.room()) return {};
  std::unique_ptr<PersistentSend> send(new (std::nothrow) PersistentSend(mode, data, dest, tag, comm));
  if (!send) return {};
  const Done done = make(mode, data, dest, tag, comm, request);
  if (done == MPI_SUCCESS) requests::track(*request, send.release());
  return done;
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_SEND_INIT(name, Integer, mode)                                                                \
  int MPI_##name(const void* buf, Integer count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,    \
                 MPI_Request* request) {                                                                     \
    will_send(count, datatype, tag);                                                                         \
    if (travels_packed(datatype, count))                                                                     \
      if (const Done done = send_init(mode, {buf, count, datatype}, dest, tag, comm, request)) return *done; \
    return PMPI_##name(buf, count, datatype, dest, tag, comm, request);                                      \
  }

extern "C" {
HEDDLE_SEND_INIT(Send_init, int, Mode::standard)
HEDDLE_SEND_INIT(Bsend_init, int, Mode::buffered)
HEDDLE_SEND_INIT(Ssend_init, int, Mode::synchronous)
HEDDLE_SEND_INIT(Rsend_init, int, Mode::ready)
#if HEDDLE_LARGE_COUNTS
HEDDLE_SEND_INIT(Send_init_c, MPI_Count, Mode::standard)
HEDDLE_SEND_INIT(Bsend_init_c, MPI_Count, Mode::buffered)
HEDDLE_SEND_INIT(Ssend_init_c, MPI_Count, Mode::synchronous)
HEDDLE_SEND_INIT(Rsend_init_c, MPI_Count, Mode::ready)
#endif
}
