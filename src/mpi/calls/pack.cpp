// mpi/calls/pack.cpp: MPI_Pack and MPI_Unpack: straight to the layout engine, no copy in between.
// Anything that is not plainly right is left to the host, which raises the error.
#include "layout/pack.hpp"

#include "mpi/face.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi::face {
namespace {

/// Bytes that `count` elements need behind `position`; negative if they do not fit into `room`, or anything is odd.
Bytes checked(const Entry& type, Count count, const void* packed, Count room, Count position, MPI_Comm comm) {
  Bytes bytes = 0;
  if (count < 0 || position < 0 || position > room || !packed || comm == MPI_COMM_NULL) return -1;
  if (__builtin_mul_overflow(count, type.size(), &bytes) || bytes > room - position) return -1;
  return bytes;
}

/// MPI_Pack and MPI_Unpack are local: nobody else can know that they are under way and free the type meanwhile.
const Entry* local(MPI_Datatype type) {
  Entry* entry = table.find(type);
  return entry && entry->ready(type) ? entry : nullptr;
}

}  // namespace

Done pack(const Buffer& in, void* out, Count room, Count& position, MPI_Comm comm) noexcept {
  const Entry* type = local(in.type);
  if (!type) return {};
  const Bytes bytes = checked(*type, in.count, out, room, position, comm);
  if (bytes < 0) return {};
  layout::pack(type->layout(), in.count, in.address, static_cast<std::byte*>(out) + position);
  position += bytes;
  return MPI_SUCCESS;
}

Done unpack(const void* in, Count bytes_in, Count& position, const Buffer& out, MPI_Comm comm) noexcept {
  const Entry* type = local(out.type);
  if (!type) return {};
  const Bytes bytes = checked(*type, out.count, in, bytes_in, position, comm);
  if (bytes < 0) return {};
  layout::unpack(type->layout(), out.count, const_cast<void*>(out.address), static_cast<const std::byte*>(in) + position);
  position += bytes;
  return MPI_SUCCESS;
}

}  // namespace heddle::mpi::face

using namespace heddle::mpi;

namespace {

/// The position of the program, int or MPI_Count, moved by a call that counts in 64 bits.
template <class Position, class Call>
Done moving(Position* position, Call call) {
  Count at = *position;
  const Done done = call(at);
  if (done) *position = static_cast<Position>(at);
  return done;
}

}  // namespace

extern "C" {

int MPI_Pack(const void* inbuf, int incount, MPI_Datatype datatype, void* outbuf, int outsize, int* position, MPI_Comm comm) {
  if (known(datatype))
    if (const Done done = moving(position, [&](Count& at) {
          return face::pack({inbuf, incount, datatype}, outbuf, outsize, at, comm);
        }))
      return *done;
  return PMPI_Pack(inbuf, incount, datatype, outbuf, outsize, position, comm);
}

int MPI_Unpack(const void* inbuf, int insize, int* position, void* outbuf, int outcount, MPI_Datatype datatype, MPI_Comm comm) {
  if (known(datatype))
    if (const Done done = moving(position, [&](Count& at) {
          return face::unpack(inbuf, insize, at, {outbuf, outcount, datatype}, comm);
        }))
      return *done;
  return PMPI_Unpack(inbuf, insize, position, outbuf, outcount, datatype, comm);
}

#if HEDDLE_LARGE_COUNTS
int MPI_Pack_c(const void* inbuf, MPI_Count incount, MPI_Datatype datatype, void* outbuf, MPI_Count outsize,
               MPI_Count* position, MPI_Comm comm) {
  if (known(datatype))
    if (const Done done = moving(position, [&](Count& at) {
          return face::pack({inbuf, incount, datatype}, outbuf, outsize, at, comm);
        }))
      return *done;
  return PMPI_Pack_c(inbuf, incount, datatype, outbuf, outsize, position, comm);
}

int MPI_Unpack_c(const void* inbuf, MPI_Count insize, MPI_Count* position, void* outbuf, MPI_Count outcount,
                 MPI_Datatype datatype, MPI_Comm comm) {
  if (known(datatype))
    if (const Done done = moving(position, [&](Count& at) {
          return face::unpack(inbuf, insize, at, {outbuf, outcount, datatype}, comm);
        }))
      return *done;
  return PMPI_Unpack_c(inbuf, insize, position, outbuf, outcount, datatype, comm);
}
#endif

}  // extern "C"
