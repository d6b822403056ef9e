// mpi/requests/status_of.hpp: a status for calls that complete receives. Includes host.hpp.
//
//   const StatusOf arrived(status);                          // MPI_STATUS_IGNORE, or the program's
//   const int result = PMPI_Recv(..., arrived.get());
#pragma once

#include <atomic>

#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// Whether that is what has become of an operation.
inline bool is_cancelled(const MPI_Status& status) noexcept {
  int flag = 0;
  return PMPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag;
}

/// The program's status, or one of our own where it wants none: what arrived must be known. Around calls that complete a
/// receive, until what has arrived has been looked at.
class StatusOf {
 public:
  explicit StatusOf(MPI_Status* status) : status_(status == MPI_STATUS_IGNORE ? &own_ : status) { count(1); }
  StatusOf(const StatusOf&) = delete;
  StatusOf& operator=(const StatusOf&) = delete;
  ~StatusOf() { count(-1); }
  [[nodiscard]] MPI_Status* get() const { return status_; }

  /// Whether this thread, which is the only one in MPI, is in such a call: the host may have called back.
  static bool in_use() noexcept { return count_.load(std::memory_order_relaxed) != 0; }

 private:
  /// Threads may lose a count: with several nobody asks.
  static void count(int by) noexcept { count_.store(count_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed); }
  static inline constinit std::atomic<int> count_{0};
  MPI_Status own_;
  MPI_Status* status_;
};

}  // namespace heddle::mpi
