// transport/cma/cma.hpp: reads and writes another process's memory with one copy (cross memory
// attach).
//
//   const Moved moved = cma::read(process, local, remote);
//   if (moved.error) ...                                    // ESRCH: it is gone, EPERM: forbidden, EFAULT: not its memory
//
// A call costs about 0.44 us, plus 107 to 150 ns for each remote entry and 17 to 25 ns for each
// local entry. So many remote entries are dear, and many local entries are cheap.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <span>
#include <vector>

#include "transport/transport.hpp"

namespace heddle::transport::cma {

/// Copies from `remote` (addresses in process `pid`) to `local`, as many bytes as the shorter list
/// holds. Entry boundaries need not agree. Each list may have any number of entries of any length,
/// including zero. The kernel gets portions of at most 1024 entries on either side. Never throws,
/// allocates nothing.
Moved read(pid_t pid, std::span<const iovec> local, std::span<const iovec> remote) noexcept;

/// Copies from `local` to `remote`, otherwise like read(). The system allows it to a process that
/// it allows to read.
Moved write(pid_t pid, std::span<const iovec> local, std::span<const iovec> remote) noexcept;

/// Copies through /proc/PID/mem, with one call for each remote entry. A process takes this way if
/// the system refuses process_vm_readv to it (a seccomp filter) while a sender relies on the copy.
Moved read_file(pid_t pid, std::span<const iovec> local, std::span<const iovec> remote) noexcept;

/// True unless prctl(PR_SET_DUMPABLE, 0) forbids other processes of this user to read this one.
/// Takes 0.1 us.
bool can_be_read_now() noexcept;

class Cma final : public Transport {
 public:
  explicit Cma(int processes);
  /// All processes are reachable in both directions, for tests.
  explicit Cma(const std::vector<pid_t>& processes);

  int offer(Ticket& ticket) noexcept override;
  void meet(int peer, pid_t process, Ticket theirs) noexcept override;
  [[nodiscard]] bool reachable_now() const noexcept override { return can_be_read_now(); }
  Moved pull(int peer, std::span<const iovec> local, std::span<const iovec> remote) noexcept override;
  Moved push(int peer, std::span<const iovec> local, std::span<const iovec> remote) noexcept override;

 private:
  std::vector<pid_t> processes_;  // 0: not visible from here
};

}  // namespace heddle::transport::cma
