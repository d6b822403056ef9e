// mpi/exchange/record.hpp: what the ranks of a communicator tell each other once, when its shadow communicator is made.
// Includes settings/, process/host.hpp.
//
//   const Record all = Record::agreed(comm, able, noted);     // collective: one reduction
//   if (!all.able) return nullptr;                           // on all ranks
#pragma once

#include <cstdint>

#include "layout/bytes.hpp"
#include "mpi/process/host.hpp"
#include "settings/settings.hpp"

namespace heddle::mpi {

/// The same on all ranks.
struct Record {
  bool able = false;          ///< All are.
  bool noted_by_all = false;  ///< Hints wait for the shadow communicator (hints.hpp).
  bool noted_by_none = false;
  bool mailboxes = false;   ///< All have them.
  int cores = 1;            ///< The fewest that the ranks of a node share.
  std::int64_t number = 0;  ///< Of the shadow communicator: no two of a rank have the same. What is left at MPI_Finalize is
                            ///< freed in their order, for MPI_Comm_free is collective.
  // Of sparse exchanges. What the ranks do not agree on is as if nobody had wished.
  settings::Exchange exchange = settings::Exchange::automatic;
  int radix = 0;  ///< 0: automatic.
  int channels = 1;
  layout::Bytes segment = 0;

  /// Collective over `comm`.
  static Record agreed(MPI_Comm comm, bool able, bool noted) noexcept;
};

}  // namespace heddle::mpi
