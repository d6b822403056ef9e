// mpi/requests/status_of.hpp: a status for calls that complete receives.
//
//   const StatusOf arrived(status);                          // MPI_STATUS_IGNORE, or the program's
//   const int result = PMPI_Recv(..., arrived.get());
#pragma once

#include <atomic>

#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// True: the operation was cancelled.
inline bool is_cancelled(const MPI_Status& status) noexcept {
  int flag = 0;
  return PMPI_Test_cancelled(&status, &flag) == MPI_SUCCESS && flag;
}

/// The program's status, or Heddle's own if the program wants none: Heddle must know what has
/// arrived. It lives during calls that complete a receive, until Heddle has looked at the message.
class StatusOf {
 public:
  explicit StatusOf(MPI_Status* status) : status_(status == MPI_STATUS_IGNORE ? &own_ : status) { count(1); }
  StatusOf(const StatusOf&) = delete;
  StatusOf& operator=(const StatusOf&) = delete;
  ~StatusOf() { count(-1); }
  [[nodiscard]] MPI_Status* get() const { return status_; }

  /// True: this thread is in such a call, and the host has called the program back. Only for a
  /// process with one thread in MPI.
  static bool in_use() noexcept { return count_.load(std::memory_order_relaxed) != 0; }

 private:
  /// Threads may lose a count. If there are several, nobody asks for it.
  static void count(int by) noexcept { count_.store(count_.load(std::memory_order_relaxed) + by, std::memory_order_relaxed); }
  static inline constinit std::atomic<int> count_{0};
  MPI_Status own_;
  MPI_Status* status_;
};

}  // namespace heddle::mpi
