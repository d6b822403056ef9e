// mpi/calls/pack.cpp: MPI_Pack and MPI_Unpack: straight to the layout engine, no copy in between.
// Anything that is not plainly right is left to the host, which raises the error.
#include "layout/pack.hpp"

#include "mpi/face.hpp"
#include "mpi/types/registry.hpp"

using namespace heddle::mpi;

namespace {

/// Where the packed bytes of a call begin and end.
struct Place {
  Bytes at = 0, end = -1;
};

/// No end if they do not fit into `room`, or anything is odd.
template <class Position>
Place checked(const Entry& type, Count count, const void* packed, Count room, const Position* position, MPI_Comm comm) {
  const Count at = *position;
  Bytes bytes = 0;
  if (count < 0 || at < 0 || at > room || !packed || comm == MPI_COMM_NULL) return {};
  if (__builtin_mul_overflow(count, type.size(), &bytes) || bytes > room - at) return {};
  return {at, at + bytes};
}

/// The calls are local: nobody else can know that they are under way and free the type meanwhile. So it is not held.
template <class Position>
Done pack(const Buffer& in, void* out, Count room, Position* position, MPI_Comm comm) {
  Entry* type = table.find(in.type);
  if (!type || !type->ready(in.type)) return {};
  const Place place = checked(*type, in.count, out, room, position, comm);
  if (place.end < 0) return {};
  heddle::layout::pack(type->layout(), in.count, in.address, static_cast<std::byte*>(out) + place.at);
  *position = static_cast<Position>(place.end);
  return MPI_SUCCESS;
}

template <class Position>
Done unpack(const void* in, Count room, Position* position, void* out, Count count, MPI_Datatype datatype, MPI_Comm comm) {
  Entry* type = table.find(datatype);
  if (!type || !type->ready(datatype)) return {};
  const Place place = checked(*type, count, in, room, position, comm);
  if (place.end < 0) return {};
  heddle::layout::unpack(type->layout(), count, out, static_cast<const std::byte*>(in) + place.at);
  *position = static_cast<Position>(place.end);
  return MPI_SUCCESS;
}

}  // namespace

extern "C" {

int MPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position, MPI_Comm comm) {
  if (const Done done = pack({inbuf, incount, datatype}, outbuf, outsize, position, comm)) return *done;
  return PMPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm);
}

int MPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype, MPI_Comm comm) {
  if (const Done done = unpack(inbuf, insize, position, outbuf, outcount, datatype, comm)) return *done;
  return PMPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm);
}

#if HEDDLE_LARGE_COUNTS
int MPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
               MPI_Count* position, MPI_Comm comm) {
  if (const Done done = pack({inbuf, incount, datatype}, outbuf, outsize, position, comm)) return *done;
  return PMPI_Pack_c(inbuf, incount, datatype, outbuf, outsize, position, comm);
}

int MPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
                 MPI_Datatype datatype, MPI_Comm comm) {
  if (const Done done = unpack(inbuf, insize, position, outbuf, outcount, datatype, comm)) return *done;
  return PMPI_Unpack_c(inbuf, insize, position, outbuf, outcount, datatype, comm);
}
#endif

}  // extern "C"
