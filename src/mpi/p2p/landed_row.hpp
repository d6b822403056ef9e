// mpi/p2p/landed_row.hpp: MPI_Waitall of a short row whose entries all land: landings (landing.hpp)
// and persistent receives like them. Persistent sends that the host carries may be among them. The
// host is asked once for the whole row, as without Heddle.
// Also MPI_Wait and MPI_Test of a landing that is one of the table's newest receives.
//
//   if (requests::table.any_newest())                                       // all of them are in the row:
//     if (const Done done = wait_all_newest(count, requests, statuses)) return *done;
//   const requests::ShortRow found(count, requests);
//   if (all_land(found)) return wait_all_landing(found, statuses);
#pragma once

#include "mpi/p2p/landing.hpp"
#include "mpi/requests/short_row.hpp"

namespace heddle::mpi {

/// False also if a failed call of the host may return MPI_SUCCESS, or if there are several threads.
inline bool all_land(const requests::ShortRow& found) {
  if (threads::concurrent.load(std::memory_order_relaxed) || communicators::hides_errors(MPI_COMM_NULL)) return false;
  bool land = true;
  for (int k = 0; k < found.known; ++k) land &= found.spots[k].entry->record.lands || found.spots[k].entry->record.by_host;
  return land;
}

/// @param statuses  The program's, or MPI_STATUSES_IGNORE.
int wait_all_landing(const requests::ShortRow& found, MPI_Status* statuses);

// If the newest receives of the table are those of a call, these complete them. Nothing: they are
// not, and the host has not been asked. Ask only if there are any (Table::any_newest()).

/// MPI_Waitall of at most ShortRow::most requests.
Done wait_all_newest(int count, MPI_Request* requests, MPI_Status* statuses);
Done wait_newest(MPI_Request* request, MPI_Status* status);
Done test_newest(MPI_Request* request, int* flag, MPI_Status* status);

}  // namespace heddle::mpi
