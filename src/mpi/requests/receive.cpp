// mpi/requests/receive.cpp
#include "mpi/requests/receive.hpp"

namespace heddle::mpi {

bool Received::is_cancelled(const MPI_Status& status) noexcept {
  int flag = 0;
  return PMPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag;
}

int ReceivedPacked::take(MPI_Message* held, MPI_Request* request) {
  const Done done = HEDDLE_HAND(message.wide(), Imrecv, message.address(), message.count(), message.type(), held, request);
  return done.value_or(MPI_ERR_COUNT);
}

int ReceivedPlain::take(MPI_Message* held, MPI_Request* request) {
  const Done done =
      HEDDLE_HAND(!fits(data_.count), Imrecv, const_cast<void*>(data_.address), Number{data_.count}, data_.type, held, request);
  return done.value_or(MPI_ERR_COUNT);
}

BegunReceive begin_receive(const Buffer& data, int source, int tag, MPI_Comm comm, bool straight) {
  BegunReceive begun;
  const auto post = [&](void* address, Number count, MPI_Datatype type) {
    begun.result =
        HEDDLE_HAND(!fits(count.value), Irecv, address, count, type, source, tag, comm, &begun.request).value_or(MPI_ERR_COUNT);
    return begun.result == MPI_SUCCESS;
  };
  const auto whole = [&](auto* received) {
    if (!received)
      begun.result = MPI_ERR_NO_MEM;
    else if (post(const_cast<void*>(data.address), Number{data.count}, data.type))
      begun.pending = received;
    else
      delete received;
  };
  if (straight && takes_descriptor(data.type, data.count)) {
    whole(new (std::nothrow) ReceivedInPlace(data, comm));
  } else if (goes_through_stand_in(data.type, data.count)) {
    auto* received = new (std::nothrow) ReceivedPacked(data, comm);
    if (!received) {
      begun.result = MPI_ERR_NO_MEM;
    } else if (const Message& message = received->message;
               message.ours() && post(message.address(), message.count(), message.type())) {
      begun.pending = received;
    } else {
      if (!message.ours()) post(const_cast<void*>(data.address), Number{data.count}, data.type);
      delete received;
    }
  } else if (must_look(data.count, data.type)) {
    whole(new (std::nothrow) ReceivedPlain(data, comm));
  } else {
    post(const_cast<void*>(data.address), Number{data.count}, data.type);
  }
  return begun;
}

}  // namespace heddle::mpi
