// mpi/process/shared_copy.hpp: keeps MPICH from using process_vm_readv for messages for which it
// would not use it without Heddle.
//
//   {
//     const SharedCopy copy(bytes);                       // Heddle has packed so many
//     PMPI_Send(packed, ...);
//   }
//
// MPICH lets a receiver on the same node read a message of 8 KiB and more from the sender's memory.
// If the message lies in more than 1024 pieces, MPICH packs it instead, and copies it through
// memory that both ranks share. Heddle packs such a message before MPICH sees it, so MPICH would
// let the receiver read it. But from some moment on, the system may refuse process_vm_readv (a
// seccomp filter, a sender that is not dumpable). MPICH then ends the job.
//
// The switch (MPIR_CVAR_CH4_CMA_ENABLE) belongs to the process. MPICH reads it when it begins a
// send.
#pragma once

#include "layout/bytes.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// While an object lives, MPICH copies all messages of this process to its node through shared
/// memory. Any thread.
class SharedCopy {
 public:
  /// Shorter messages are always copied.
  static constexpr layout::Bytes least = 8192;

  SharedCopy() = default;
  explicit SharedCopy(layout::Bytes bytes) noexcept { begin(bytes >= least); }
  SharedCopy(const SharedCopy&) = delete;
  SharedCopy& operator=(const SharedCopy&) = delete;
  ~SharedCopy() { end(); }

  /// Holds the switch from here on, if `needed`.
  void begin(bool needed) noexcept {
    if (needed && !held_) held_ = hold();
  }
  void end() noexcept {
    if (held_) release();
    held_ = false;
  }

 private:
  static bool hold() noexcept;
  static void release() noexcept;
  bool held_ = false;
};

}  // namespace heddle::mpi
