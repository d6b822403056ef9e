// mpi/exchange/calls.cpp: the blocking collectives.
#include "mpi/exchange/blocks.hpp"

namespace heddle::mpi {
namespace {

template <class Kind, class Given>
Done carry_out(const Given& send, const Given& receive, MPI_Comm comm) noexcept {
  if (!Kind::ours(send, receive)) return {};
  const Companion* own = Companion::of(comm);
  if (!own || !Kind::of(*own)) return {};
  Exchange exchange(*own, Kind::sends(*own), Kind::receives(*own));
  if (!exchange) return no_memory_on(comm);
  if (!Kind::fill(*own, send, receive, exchange)) return {};
  return exchange.run(comm);
}

}  // namespace

Done exchange_all(const Buffer& send, const Buffer& receive, MPI_Comm comm) noexcept {
  return carry_out<blocks::All>(send, receive, comm);
}
Done exchange_all(const Spread& send, const Spread& receive, MPI_Comm comm) noexcept {
  return carry_out<blocks::All>(send, receive, comm);
}
Done exchange_all(const Mosaic& send, const Mosaic& receive, MPI_Comm comm) noexcept {
  return carry_out<blocks::All>(send, receive, comm);
}
Done exchange_neighbours(const Buffer& send, const Buffer& receive, MPI_Comm comm) noexcept {
  return carry_out<blocks::Neighbours>(send, receive, comm);
}
Done exchange_neighbours(const Spread& send, const Spread& receive, MPI_Comm comm) noexcept {
  return carry_out<blocks::Neighbours>(send, receive, comm);
}
Done exchange_neighbours(const Mosaic& send, const Mosaic& receive, MPI_Comm comm) noexcept {
  return carry_out<blocks::Neighbours>(send, receive, comm);
}

}  // namespace heddle::mpi
