// mpi/process/shared_copy.hpp: keeps MPICH from process_vm_readv where it would not use it without Heddle. Includes host.hpp,
// layout/bytes.hpp.
//
//   {
//     const SharedCopy copy(bytes);                       // Heddle has packed so many
//     PMPI_Send(packed, ...);
//   }
//
// MPICH lets a receiver on the same node read a message of 8 KiB and more from the memory of its sender, unless the message
// lies in more than 1024 pieces. It packs such a message, and copies it through memory that both ranks share. Heddle packs it
// before MPICH sees it, so MPICH would take the other way. But the system may refuse process_vm_readv from some moment on (a
// seccomp filter, a sender that is not dumpable), and MPICH then ends the job.
//
// The switch (MPIR_CVAR_CH4_CMA_ENABLE) is one of the process. MPICH reads it when it begins a send.
#pragma once

#include "layout/bytes.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// While it lives, whatever this process sends to its node by MPICH is copied through shared memory. Any thread.
class SharedCopy {
 public:
  /// Shorter messages are always copied.
  static constexpr layout::Bytes least = 8192;

  SharedCopy() = default;
  explicit SharedCopy(layout::Bytes bytes) noexcept { begin(bytes >= least); }
  SharedCopy(const SharedCopy&) = delete;
  SharedCopy& operator=(const SharedCopy&) = delete;
  ~SharedCopy() { end(); }

  /// From here on, if that is needed.
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
