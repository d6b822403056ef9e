// mpi/p2p/landed_row.cpp
#include "mpi/p2p/landed_row.hpp"

#include <utility>

namespace heddle::mpi {
namespace {

using requests::Row;
using requests::ShortRow;

/// The host has returned `error`, or a message may be a descriptor.
[[gnu::noinline]] int settle_landed(const ShortRow& found, MPI_Status* statuses, int error) {
  Pending* room[ShortRow::most];
  return Row(found, room).settle_some(found.count, nullptr, statuses, error);
}

/// Lives during the host's call. If the call throws, Heddle forgets the requests that the host has
/// completed.
class HostWaits {
 public:
  explicit HostWaits(const ShortRow& found) noexcept : found_(&found) {}
  ~HostWaits() {
    if (found_) [[unlikely]]
      forget();
  }
  HostWaits(const HostWaits&) = delete;
  HostWaits& operator=(const HostWaits&) = delete;
  void over() noexcept { found_ = nullptr; }

 private:
  [[gnu::noinline]] void forget() noexcept {
    Pending* room[ShortRow::most];
    const Row thrown(*found_, room);
  }
  const ShortRow* found_;
};

}  // namespace

int wait_all_landing(const ShortRow& found, MPI_Status* statuses) {
  for (int k = 0; k < found.known; ++k) requests::completing(*found.spots[k].entry, true);
  MPI_Status own[ShortRow::most];  // the lengths of the messages are in the host's statuses
  if (statuses == MPI_STATUSES_IGNORE) statuses = own;
  HostWaits now(found);
  const int error = PMPI_Waitall(found.count, found.requests, statuses);
  now.over();
  bool data = error == MPI_SUCCESS;
  for (int k = 0; k < found.known && data; ++k) data = brings_data(statuses[found.spots[k].index]);
  if (!data) return settle_landed(found, statuses, error);
  for (int k = 0; k < found.known; ++k) {
    Pending* const landed = found.spots[k].entry;
    if (landed->record.persistent) {
      landed->record.active = landed->record.lands = false;
      continue;
    }
    requests::table.erase(found.spots[k], landed->record.handle);
    static_cast<Landing*>(landed)->put_back();
  }
  return error;
}

}  // namespace heddle::mpi
