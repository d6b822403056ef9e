// mpi/exchange/collective_patterns.hpp: the patterns of the collectives that Heddle carries out:
// the ranks to which blocks go, and how many blocks.
//
//   Exchange exchange(*own, patterns::neighbours.sends(*own), patterns::neighbours.receives(*own));
#pragma once

#include "mpi/exchange/shadow_comm.hpp"

namespace heddle::mpi {

struct CollectivePattern {
  bool neighbours = false;  ///< Blocks go to neighbours in a topology. Otherwise, to all ranks.
  bool gathers = false;     ///< One block goes to every peer.
  bool in_place = false;    ///< The send side is the receive side, by MPI_IN_PLACE.
  /// The communicators whose collectives are Heddle's (blocks::carries_out).
  enum class When : std::uint8_t { always, not_native, neighbours_known, one_node } when = When::always;

  /// Blocks out and in, at most.
  [[nodiscard]] int sends(const ShadowComm& own) const noexcept {
    return neighbours ? static_cast<int>(own.out().size()) : own.ranks();
  }
  [[nodiscard]] int receives(const ShadowComm& own) const noexcept {
    return neighbours ? static_cast<int>(own.in().size()) : own.ranks();
  }
};

namespace patterns {

/// The blocking MPI_Alltoall, v and w, and MPI_Allgatherv. Each call chooses its algorithm.
inline constexpr CollectivePattern all_blocking{};
inline constexpr CollectivePattern gather_blocking{.gathers = true};
/// The other forms of MPI_Alltoall, v and w, and all forms in place.
inline constexpr CollectivePattern all{.when = CollectivePattern::When::not_native};
inline constexpr CollectivePattern in_place{.in_place = true, .when = CollectivePattern::When::not_native};
/// MPI_Iallgatherv and MPI_Allgatherv_init on one node. Each receiver fetches an announced block
/// from the sender's memory for itself. All messages can be posted at once, as a non-blocking call
/// needs. A schedule, in which ranks hand on blocks that have come to them, would stand still while
/// the program is in a call of the host's. Other ranks may be waiting for the program there.
inline constexpr CollectivePattern gather_all{.gathers = true, .when = CollectivePattern::When::one_node};
/// MPI_Neighbor_alltoall, v and w.
inline constexpr CollectivePattern neighbours{.neighbours = true, .when = CollectivePattern::When::neighbours_known};
/// MPI_Neighbor_allgather, MPI_Neighbor_allgatherv.
inline constexpr CollectivePattern gather_neighbours{
    .neighbours = true, .gathers = true, .when = CollectivePattern::When::neighbours_known};

}  // namespace patterns
}  // namespace heddle::mpi
