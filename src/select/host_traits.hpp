// select/host_traits.hpp: the family of a host, and the peculiarities of its libraries, as seen in
// MPICH 5.0.2 and Open MPI 5.0.11.
//
//   if (openmpi_traits.slow_to_gather_little && crowded) ...
#pragma once

#include "layout/bytes.hpp"

namespace heddle::select {

/// Intel MPI, MVAPICH and Cray MPI count as mpich.
enum class Host { mpich, openmpi };

struct HostTraits {
  Host host;
  /// It packs fragment by fragment, straight into shared memory, while the receiver unpacks.
  /// Packing in advance is often slower (packing.hpp).
  bool packs_while_it_sends;
  /// A communicator of MPI_Comm_create or MPI_Comm_create_group has no error handler until the
  /// program sets one.
  bool makes_without_handler;
  /// If a block is empty, its non-blocking MPI_Alltoallv and MPI_Alltoallw in place overwrite data
  /// that they have yet to send.
  bool overwrites_in_place;
  /// MPI_Allgatherv fails if a rank sends more than its block has room for.
  bool truncates_gathered;
  /// MPI_Allgatherv of less than 4 KiB in all is nearly twice as slow as needed if more than two
  /// ranks share cores.
  bool slow_to_gather_little;
  /// MPI_Allgatherv chooses by the sum of the volumes, not by their spread.
  bool gathers_by_sum;
  /// It refuses elements at MPI_BOTTOM, and the same buffer for sending and receiving.
  bool looks_at_addresses;
  /// A failed call returns MPI_SUCCESS if the program's error handler was called and has returned.
  bool forgets_heard_errors;
  /// If a call for several requests fails, the handler gets MPI_ERR_IN_STATUS. Otherwise it gets
  /// the error of the first request.
  bool raises_in_status;
  /// MPI_COMM_SELF's handler hears of errors of calls for several requests and of
  /// MPI_Request_get_status. Otherwise it is that of the failed request's communicator.
  bool raises_several_on_self;
  /// MPI_Waitall does not touch the requests behind the first failed request, even if they are
  /// complete.
  bool leaves_behind_failed;
  /// A forbidden MPI_IN_PLACE, and missing arrays of a gather, are wrong arguments even without
  /// elements.
  bool refuses_in_place_of_none;
  /// It refuses a null or uncommitted type even without elements, also in the w procedures and in
  /// neighbours' blocks. It accepts an uncommitted type that a gather receives.
  bool looks_at_types_of_none;
  /// MPI_Request_get_status raises no error of the request. The completion raises it.
  bool asks_without_errors;
  /// MPI_Put and MPI_Get of data with holes within a node take longer than Heddle's copy from so
  /// many bytes on. Measured on two cores, beside other work.
  layout::Bytes slow_to_access_from;
  /// MPI_Put and MPI_Get to memory of the program (MPI_Win_create) take longer than packing, and
  /// unpacking in MPI_Win_fence, from so many bytes on and in blocks of fewer bytes. Measured on
  /// two cores of one machine.
  layout::Bytes slow_to_access_apart_from;
  layout::Bytes slow_to_access_apart_below;
  /// So many blocks make fewer bytes slow, too; 0: no number does. Open MPI makes an operation of
  /// each block.
  layout::Count slow_to_access_apart_blocks;
  /// MPI_File_write and MPI_File_read of memory in blocks of fewer bytes take longer than packing.
  /// Measured on two cores, with files in memory. Open MPI gives the system each block by itself.
  layout::Bytes slow_to_file_below;
  /// If so many ranks at most have opened a file, the host itself makes independent accesses of
  /// collective ones. Then it keeps no order among the ranks.
  int unordered_files_up_to;
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
                                  .raises_several_on_self = true,
                                  .leaves_behind_failed = true,
                                  .refuses_in_place_of_none = false,
                                  .looks_at_types_of_none = false,
                                  .asks_without_errors = false,
                                  .slow_to_access_from = 4 << 10,
                                  .slow_to_access_apart_from = 64 << 10,
                                  .slow_to_access_apart_below = 2 << 10,
                                  .slow_to_access_apart_blocks = 0,
                                  .slow_to_file_below = 32,
                                  .unordered_files_up_to = 1};
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
                                    .raises_several_on_self = false,
                                    .leaves_behind_failed = false,
                                    .refuses_in_place_of_none = true,
                                    .looks_at_types_of_none = true,
                                    .asks_without_errors = true,
                                    .slow_to_access_from = 64 << 10,
                                    .slow_to_access_apart_from = 1 << 10,
                                    .slow_to_access_apart_below = 2 << 10,
                                    .slow_to_access_apart_blocks = 8,
                                    .slow_to_file_below = 512,
                                    .unordered_files_up_to = 2};

}  // namespace heddle::select
