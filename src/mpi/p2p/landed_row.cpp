// mpi/p2p/landed_row.cpp: asks the host for the whole row, then treats entries that may be
// descriptors one by one.
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

/// The entry of a row as the hash table has it.
requests::Table::Spot spot_of(Pending* entry, int index) {
  requests::table.insert(entry->record.handle, entry);
  return {entry, 0, index};
}

/// The host has completed the request of a landing that is out of the table, or has failed.
Done ended(Landing& landing, MPI_Request host, MPI_Status& status, int error) {
  if (error == MPI_SUCCESS && brings_data(status)) [[likely]] {
    landing.put_back();
    return Raised::by_host(error);
  }
  requests::table.insert(landing.record.handle, &landing);
  if (error != MPI_SUCCESS && requests::remains(landing, host)) return Raised::by_host(error);
  return Raised::by_host(requests::settle(landing, status, error));
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

[[gnu::hot]] int wait_all_landing(const ShortRow& found, MPI_Status* statuses) {
  for (int k = 0; k < found.known; ++k) requests::completing(*found.spots[k].entry, true);
  MPI_Status own[ShortRow::most];  // the lengths of the messages are in the host's statuses
  if (statuses == MPI_STATUSES_IGNORE) statuses = own;
  HostWaits now(found);
  const int error = PMPI_Waitall(found.count, found.requests, statuses);
  now.over();
  bool data = error == MPI_SUCCESS;
  for (int k = 0; k < found.known && data; ++k)
    data = found.spots[k].entry->record.by_host || brings_data(statuses[found.spots[k].index]);
  if (!data) return settle_landed(found, statuses, error);
  for (int k = 0; k < found.known; ++k) {
    Pending* const landed = found.spots[k].entry;
    if (landed->record.persistent) {
      landed->record.active = landed->record.lands = landed->record.by_host = false;
      continue;
    }
    requests::table.erase(found.spots[k], landed->record.handle);
    static_cast<Landing*>(landed)->put_back();
  }
  return error;
}

[[gnu::hot]] Done wait_all_newest(int count, MPI_Request* requests, MPI_Status* statuses) {
  Pending* newest[requests::Table::most_newest];
  int indices[requests::Table::most_newest];
  const int known = requests::table.take_newest(count, requests, newest, indices);
  if (known == 0) return {};
  MPI_Status own[ShortRow::most];
  if (statuses == MPI_STATUSES_IGNORE) statuses = own;
  const int error = PMPI_Waitall(count, requests, statuses);
  bool data = error == MPI_SUCCESS;
  for (int k = 0; k < known; ++k) data = data && brings_data(statuses[indices[k]]);
  if (!data) [[unlikely]] {
    ShortRow found(count, requests, known);
    for (int k = 0; k < known; ++k) found.spots[k] = spot_of(newest[k], indices[k]);
    return Raised::by_host(settle_landed(found, statuses, error));
  }
  for (int k = 0; k < known; ++k) static_cast<Landing*>(newest[k])->put_back();
  return Raised::by_host(error);
}

Done wait_newest(MPI_Request* request, MPI_Status* status) {
  const int place = requests::table.place_of_newest(*request);
  if (place < 0) return {};
  auto& landing = static_cast<Landing&>(*requests::table.take_newest(place));
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int error = PMPI_Wait(request, status);
  return ended(landing, *request, *status, error);
}

Done test_newest(MPI_Request* request, int* flag, MPI_Status* status) {
  const int place = requests::table.place_of_newest(*request);
  if (place < 0) return {};
  MPI_Status own;
  if (status == MPI_STATUS_IGNORE) status = &own;
  const int error = PMPI_Test(request, flag, status);
  if (error == MPI_SUCCESS && !*flag) return Raised::by_host(error);
  return ended(static_cast<Landing&>(*requests::table.take_newest(place)), *request, *status, error);
}

}  // namespace heddle::mpi
