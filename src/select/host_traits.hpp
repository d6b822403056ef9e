// select/host_traits.hpp: the family of a host, and what its libraries do in their own way: as seen of MPICH 5.0.2 and Open MPI
// 5.0.11. May include nothing of Heddle.
//
//   if (openmpi_traits.slow_to_gather_little && crowded) ...
#pragma once

namespace heddle::select {

/// Intel MPI, MVAPICH, Cray MPI: mpich.
enum class Host { mpich, openmpi };

struct HostTraits {
  Host host;
  /// It packs fragment by fragment straight into shared memory while the receiver unpacks: packing before it sends often loses
  /// (packing.hpp).
  bool packs_while_it_sends;
  /// What MPI_Comm_create and MPI_Comm_create_group make has no error handler until the program sets one.
  bool makes_without_handler;
  /// Its non-blocking MPI_Alltoallv and MPI_Alltoallw in place overwrite what they have yet to send where a block is empty.
  bool overwrites_in_place;
  /// MPI_Allgatherv of more than a rank's block has room for fails.
  bool truncates_gathered;
  /// MPI_Allgatherv of less than 4 KiB in all takes nearly twice as long as it need where more than two ranks share cores.
  bool slow_to_gather_little;
  /// MPI_Allgatherv goes by the sum of the volumes, however they are spread.
  bool gathers_by_sum;
  /// Elements at MPI_BOTTOM, and the very elements that are sent as what is received, are refused.
  bool looks_at_addresses;
  /// A call that has failed returns MPI_SUCCESS if a handler of the program has heard of the error and has returned.
  bool forgets_heard_errors;
  /// The handler hears MPI_ERR_IN_STATUS if a call for several requests fails; else the error of the first request.
  bool raises_in_status;
  /// MPI_Waitall leaves requests behind the first that has failed, also those that are complete by then.
  bool leaves_behind_failed;
  /// MPI_IN_PLACE where it may not be, and missing arrays of a gather, are wrong arguments also where there are no elements.
  bool refuses_in_place_of_none;
  /// A type that is null or not committed is refused also where there are no elements: of the w procedures and neighbours'
  /// blocks, too; but not one that is not committed and received in a gather.
  bool looks_at_types_of_none;
};

constexpr HostTraits mpich_traits{.host = Host::mpich,
                                  .packs_while_it_sends = false,
                                  .makes_without_handler = true,
                                  .overwrites_in_place = false,
                                  .truncates_gathered = false,
                                  .slow_to_gather_little = false,
                                  .gathers_by_sum = true,
                                  .looks_at_addresses = true,
                                  .forgets_heard_errors = true,
                                  .raises_in_status = true,
                                  .leaves_behind_failed = true,
                                  .refuses_in_place_of_none = false,
                                  .looks_at_types_of_none = false};
constexpr HostTraits openmpi_traits{.host = Host::openmpi,
                                    .packs_while_it_sends = true,
                                    .makes_without_handler = false,
                                    .overwrites_in_place = true,
                                    .truncates_gathered = true,
                                    .slow_to_gather_little = true,
                                    .gathers_by_sum = false,
                                    .looks_at_addresses = false,
                                    .forgets_heard_errors = false,
                                    .raises_in_status = false,
                                    .leaves_behind_failed = false,
                                    .refuses_in_place_of_none = true,
                                    .looks_at_types_of_none = true};

}  // namespace heddle::select
