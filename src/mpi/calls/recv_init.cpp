// mpi/calls/recv_init.cpp: MPI_Recv_init.
#include <memory>

#include "mpi/rendezvous/rendezvous.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/persistent.hpp"

namespace heddle::mpi {
namespace {

template <class Received, class Make>
Done recv_init(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Request* request, Make make) {
  if (source == MPI_PROC_NULL || comm == MPI_COMM_NULL || !request) return {};
  std::unique_ptr<PersistentReceive<Received>> receive(
      requests::table.room() ? new (std::nothrow) PersistentReceive<Received>(data, source, tag, comm) : nullptr);
  if (!receive) return Node::here() ? Done(requests::no_memory()) : Done();
  const Done done = make(receive->received);
  if (done == MPI_SUCCESS) requests::track(*request, receive.release());
  return done;
}

Done recv_init_packed(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return recv_init<ReceivedPacked>(data, source, tag, comm, request, [&](ReceivedPacked& received) -> Done {
    const Message& message = received.message;
    if (!message.ours()) return message.lacks_memory() ? Done(requests::no_memory()) : Done();
    return HEDDLE_HAND(message.wide(), Recv_init, message.address(), message.count(), message.type(), source, tag, comm,
                       request);
  });
}

Done recv_init_plain(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  return recv_init<ReceivedPlain>(data, source, tag, comm, request, [&](ReceivedPlain&) -> Done {
    return HEDDLE_HAND(!fits(data.count), Recv_init, const_cast<void*>(data.address), Number{data.count}, data.type, source,
                       tag, comm, request);
  });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_RECV_INIT(name, Integer)                                                                                       \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) { \
    if (travels_packed(datatype, count) || must_not_split(datatype)) {                                                        \
      if (const Done done = recv_init_packed({buf, count, datatype}, source, tag, comm, request)) return *done;               \
    } else if (Node::here()) {                                                                                                \
      if (const Done done = recv_init_plain({buf, count, datatype}, source, tag, comm, request)) return *done;                \
    }                                                                                                                         \
    return PMPI_##name(buf, count, datatype, source, tag, comm, request);                                                     \
  }

extern "C" {
HEDDLE_RECV_INIT(Recv_init, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_RECV_INIT(Recv_init_c, MPI_Count)
#endif
}
