// mpi/exchange/in_place.hpp: MPI_Alltoall, MPI_Alltoallv and MPI_Alltoallw with MPI_IN_PLACE, pair by pair: blocking,
// non-blocking and persistent. Includes blocks.hpp.
//
//   if (send.address == MPI_IN_PLACE) return exchange_in_place(call, receive, comm);
//   if (send.address == MPI_IN_PLACE) return exchange_started<blocks::InPlace>(how, receive, receive, comm);
//
// This rank's own block stays as it is.
#pragma once

#include "mpi/exchange/blocks.hpp"

namespace heddle::mpi {
namespace blocks {

struct InPlace : Ranks {
  static constexpr bool in_place = true;

  template <class Given>
  static bool ours(const Given& given, const Given& /*the same*/) noexcept {
    return All::ours(given, given);
  }
  static bool of(const ShadowComm& own) noexcept { return All::of(own); }
  /// The sends are still to be packed aside.
  template <class Given>
  static bool fill(const ShadowComm& own, const Given& given, const Given& /*the same*/, Exchange& exchange) noexcept {
    const int ranks = own.ranks();
    Ruler ruler;
    Buffer data;
    Bytes bytes = 0;
    Bytes all = 0;
    for (int i = 0; i < ranks; ++i)
      if (!block_of(given, i, ruler, data, bytes) || __builtin_add_overflow(all, bytes, &all)) return false;
    for (int k = 1; k < ranks; ++k) {  // in the order in which partners are due: to_all
      const int from = (own.me() + ranks - k) % ranks;
      const int to = (own.me() + k) % ranks;
      block_of(given, from, ruler, data, bytes);
      exchange.receive({from, 0}, data, bytes);
      block_of(given, to, ruler, data, bytes);
      exchange.send({to, 0}, data, bytes);
    }
    return true;
  }
};

}  // namespace blocks

/// Given: Buffer, VArgument or WArgument, the receive side. Nothing: not for Heddle, on all ranks alike.
template <class Given>
Done exchange_in_place(const char* call, const Given& given, MPI_Comm comm) {
  if (!blocks::InPlace::ours(given, given)) {
    if (ShadowComm* own = settings_of_process().check ? ShadowComm::made(comm) : nullptr) alike(*own, {call, {}, true});
    return {};
  }
  TimedCall timed;  // never asked: nothing in place is tried
  return blocks::carry_out<blocks::InPlace>(call, given, given, comm, timed);
}

}  // namespace heddle::mpi
