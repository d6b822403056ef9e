// mpi/calls/pack.cpp: MPI_Pack and MPI_Unpack, straight by the layout engine, with no copy in
// between. A call that is not plainly right is left to the host, which raises the error.
#include "layout/pack.hpp"

#include "entry_points.hpp"
#include "mpi/types/registry.hpp"
#include "mpi/types/typed_buffer.hpp"

using namespace heddle::mpi;

namespace {

/// The beginning and the end of a call's packed bytes.
struct Place {
  Bytes at = 0, end = -1;
};

/// There is no end if they do not fit into `room`, or if an argument is wrong.
template <class Position>
Place checked(const Entry& type, Count count, const void* packed, Count room, const Position* position, MPI_Comm comm) {
  const Count at = *position;
  Bytes bytes = 0;
  if (count < 0 || at < 0 || at > room || !packed || comm == MPI_COMM_NULL) return {};
  if (__builtin_mul_overflow(count, type.size(), &bytes) || bytes > room - at) return {};
  return {at, at + bytes};
}

/// The calls are local: no other thread can know how far they are, so none can free the type
/// meanwhile. They do not hold the type.
Entry* decoded(MPI_Datatype datatype) {
  Entry* type = table.find(datatype);
  return type ? type->ready(datatype) : nullptr;
}

template <class Host, class Integer>
int pack(Host host, const void* inbuf, Integer incount, MPI_Datatype datatype, void* outbuf, Integer outsize, Integer* position,
         MPI_Comm comm) {
  const Entry* type = decoded(datatype);
  const Place place = type ? checked(*type, incount, outbuf, outsize, position, comm) : Place();
  if (place.end < 0) return host(inbuf, incount, datatype, outbuf, outsize, position, comm);
  heddle::layout::pack(type->layout(), incount, inbuf, static_cast<std::byte*>(outbuf) + place.at);
  *position = static_cast<Integer>(place.end);
  return MPI_SUCCESS;
}

template <class Host, class Integer>
int unpack(Host host, const void* inbuf, Integer insize, Integer* position, void* outbuf, Integer outcount,
           MPI_Datatype datatype, MPI_Comm comm) {
  const Entry* type = decoded(datatype);
  const Place place = type ? checked(*type, outcount, inbuf, insize, position, comm) : Place();
  if (place.end < 0) return host(inbuf, insize, position, outbuf, outcount, datatype, comm);
  heddle::layout::unpack(type->layout(), outcount, outbuf, static_cast<const std::byte*>(inbuf) + place.at);
  *position = static_cast<Integer>(place.end);
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {
HEDDLE_ENTRY_Pack(pack) HEDDLE_ENTRY_Unpack(unpack)
}
