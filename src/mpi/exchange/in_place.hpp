// mpi/exchange/in_place.hpp: MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw with MPI_IN_PLACE, pair by pair. Includes
// blocks.hpp, staging/element.hpp.
//
//   if (send.address == MPI_IN_PLACE) return exchange_in_place(receive, comm);
//
// What goes to a rank lies where that rank's answer comes to lie: all that is to be sent is packed aside first. This rank's own
// block stays as it is.
#pragma once

#include "mpi/exchange/blocks.hpp"
#include "mpi/staging/element.hpp"

namespace heddle::mpi {

/// Given: Buffer, Spread or Mosaic, the receive side. Nothing: not for Heddle, on all ranks alike.
template <class Given>
Done exchange_in_place(const Given& given, MPI_Comm comm) noexcept {
  if (!blocks::All::ours(given, given)) return {};
  const Companion* own = Companion::of(comm);
  if (!own || own->wanted_alltoallv() == "native" || !blocks::whole(given)) return {};
  const int ranks = own->ranks();
  Exchange exchange(*own, ranks, ranks);
  struct Part {
    Buffer data;
    Bytes bytes;
  };
  requests::Scratch<Part> parts(ranks);
  if (!exchange || !parts) return no_memory_on(comm);
  blocks::Ruler ruler;
  Bytes all = 0;
  for (int i = 0; i < ranks; ++i)  // a mistake is the host's to report
    if (!blocks::block_of(given, i, ruler, parts[i].data, parts[i].bytes) || __builtin_add_overflow(all, parts[i].bytes, &all))
      return {};
  Bounce aside;
  if (!aside.reserve(all)) return no_memory_on(comm);
  std::byte* packed = aside.data();
  Element element;
  for (int k = 1; k < ranks; ++k) {  // in the order in which partners are due: blocks::to_all
    const int from = (own->me() + ranks - k) % ranks;
    const int to = (own->me() + k) % ranks;
    const auto& [data, bytes] = parts[to];
    int error = element.look(data.type);
    if (error == MPI_SUCCESS) error = element.pack(data.address, data.count, packed, own->comm());
    if (error != MPI_SUCCESS) {
      PMPI_Comm_call_errhandler(comm, error);
      return error;
    }
    exchange.receive({from, 0}, parts[from].data, parts[from].bytes);
    exchange.send({to, 0}, {packed, bytes, MPI_BYTE}, bytes);
    packed += bytes;
  }
  return exchange.run(comm);
}

}  // namespace heddle::mpi
