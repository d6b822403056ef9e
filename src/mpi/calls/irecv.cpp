// mpi/calls/irecv.cpp: MPI_Irecv and MPI_Imrecv: received packed, put in place when the program completes the request.
#include <memory>

#include "mpi/rendezvous/watch.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/receive.hpp"

namespace heddle::mpi {
namespace {

/// There is no memory to follow a receive: without Heddle if it cannot bring a descriptor, or not at all.
Done cannot_follow() { return Node::here() ? Done(requests::no_memory()) : Done(); }

/// Posts a receive by `post(buffer of the host, request)` and tracks it: requests of receives are unique.
template <class Kind, class Post>
Done irecv(const Buffer& data, MPI_Comm comm, MPI_Request* request, Post post) {
  if (!request) return {};
  std::unique_ptr<Kind> received(requests::table.room() ? new (std::nothrow) Kind(data, comm) : nullptr);
  if (!received) return cannot_follow();
  const Done done = post(*received);
  if (done == MPI_SUCCESS) requests::track(*request, received.release());
  return done;
}

Done irecv(const Buffer& data, MPI_Message* handle, MPI_Request* request);
Done irecv_plain(const Buffer& data, MPI_Message* handle, MPI_Request* request);

Done irecv(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  if (source == MPI_PROC_NULL || comm == MPI_COMM_NULL) return {};
  if (Held::any()) {
    MPI_Message held = MPI_MESSAGE_NULL;
    if (const Done taken = Held::of_process().take(source, tag, comm, &held))
      return *taken == MPI_SUCCESS ? irecv(data, &held, request) : taken;
  }
  return irecv<ReceivedPacked>(data, comm, request, [&](ReceivedPacked& received) -> Done {
    const Message& message = received.message;
    if (!message.ours()) return message.lacks_memory() ? cannot_follow() : Done();
    return HEDDLE_HAND(message.wide(), Irecv, message.address(), message.count(), message.type(), source, tag, comm, request);
  });
}

Done irecv(const Buffer& data, MPI_Message* handle, MPI_Request* request) {
  if (!handle || *handle == MPI_MESSAGE_NULL || *handle == MPI_MESSAGE_NO_PROC) return {};
  const std::optional<Origin> origin = Held::of_process().origin(*handle);
  return irecv<ReceivedPacked>(data, MPI_COMM_NULL, request, [&](ReceivedPacked& received) -> Done {
    const Message& message = received.message;
    if (!message.ours() && !origin) return message.lacks_memory() ? cannot_follow() : Done();
    if (origin) received.from(*origin);
    return HEDDLE_HAND(message.wide(), Imrecv, message.address(), message.count(), message.type(), handle, request);
  });
}

/// A probe has received the announcement, or the message itself. Nothing: neither.
Done irecv_held(const Buffer& data, int source, int tag, MPI_Comm comm, MPI_Request* request) {
  MPI_Message held = MPI_MESSAGE_NULL;
  const Done taken = Held::of_process().take(source, tag, comm, &held);
  return taken == MPI_SUCCESS ? irecv_plain(data, &held, request) : taken;
}

/// Of a predefined type, as long as an announcement: straight into the program's buffer, and looked at when it is complete.
/// `post` is the host's call.
template <class Post>
inline Done irecv_plain(void* address, Count count, MPI_Datatype type, int source, int tag, MPI_Comm comm, MPI_Request* request,
                        Post post) {
  if (source == MPI_PROC_NULL || comm == MPI_COMM_NULL || !request) return {};
  if (Held::any())
    if (const Done done = irecv_held({address, count, type}, source, tag, comm, request)) return done;
  std::unique_ptr<ReceivedPlain> received(requests::table.room() ? new (std::nothrow) ReceivedPlain(address, count, type, comm)
                                                                 : nullptr);
  if (!received) return cannot_follow();
  const int result = post();
  if (result == MPI_SUCCESS) requests::track(*request, received.release());
  return result;
}

Done irecv_plain(const Buffer& data, MPI_Message* handle, MPI_Request* request) {
  if (!handle || *handle == MPI_MESSAGE_NULL || *handle == MPI_MESSAGE_NO_PROC) return {};
  const std::optional<Origin> origin = Held::of_process().origin(*handle);
  return irecv<ReceivedPlain>(data, MPI_COMM_NULL, request, [&](ReceivedPlain& received) -> Done {
    if (origin) received.from(*origin);
    return HEDDLE_HAND(!fits(data.count), Imrecv, const_cast<void*>(data.address), Number{data.count}, data.type, handle,
                       request);
  });
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

#define HEDDLE_IRECV(name, Integer)                                                                                           \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm, MPI_Request* request) { \
    const auto host = [&] { return PMPI_##name(buf, count, datatype, source, tag, comm, request); };                          \
    Watch::look();                                                                                                            \
    if (goes_through_stand_in(datatype, count)) {                                                                             \
      if (const Done done = irecv({buf, count, datatype}, source, tag, comm, request)) return *done;                          \
    } else if (has_room(count, datatype) || Held::any()) {                                                                    \
      if (const Done done = irecv_plain(buf, count, datatype, source, tag, comm, request, host)) return *done;                \
    }                                                                                                                         \
    return host();                                                                                                            \
  }

#define HEDDLE_IRECV_MATCHED(name, Integer)                                                                     \
  int MPI_##name(void* buf, Integer count, MPI_Datatype datatype, MPI_Message* message, MPI_Request* request) { \
    if (goes_through_stand_in(datatype, count)) {                                                               \
      if (const Done done = irecv({buf, count, datatype}, message, request)) return *done;                      \
    } else if (has_room(count, datatype) || Held::any()) {                                                      \
      if (const Done done = irecv_plain({buf, count, datatype}, message, request)) return *done;                \
    }                                                                                                           \
    return PMPI_##name(buf, count, datatype, message, request);                                                 \
  }

extern "C" {
HEDDLE_IRECV(Irecv, int)
HEDDLE_IRECV_MATCHED(Imrecv, int)
#if HEDDLE_LARGE_COUNTS
HEDDLE_IRECV(Irecv_c, MPI_Count)
HEDDLE_IRECV_MATCHED(Imrecv_c, MPI_Count)
#endif
}
