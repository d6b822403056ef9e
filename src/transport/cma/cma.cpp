// transport/cma/cma.cpp: process_vm_readv and process_vm_writev in portions.
#include "transport/cma/cma.hpp"

#include <fcntl.h>
#include <sys/prctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>

#include "transport/join_node.hpp"
#include "transport/region.hpp"

namespace heddle::transport::cma {
namespace {

constexpr std::size_t most = 1024;       // UIO_MAXIOV: entries of one call
constexpr std::size_t most_copied = 64;  // few, because programs may call from fibres with small stacks

/// A position in a list of entries. It may lie within an entry.
class Place {
 public:
  explicit Place(std::span<const iovec> entries) : left_(entries) { skip_empty(); }

  [[nodiscard]] bool done() const { return left_.empty(); }

  /// The next entries for a call. If no entry is partly done, this is the caller's own list:
  /// copying it would cost more than the system call.
  std::span<const iovec> window(std::array<iovec, most_copied>& copy) const {
    if (begun_ == 0) return left_.first(std::min(most, left_.size()));
    const std::span<const iovec> next = left_.first(std::min(most_copied, left_.size()));
    std::ranges::copy(next, copy.begin());
    copy[0].iov_base = static_cast<std::byte*>(copy[0].iov_base) + begun_;
    copy[0].iov_len -= begun_;
    return std::span(copy).first(next.size());
  }

  void advance(std::size_t bytes) {
    while (!left_.empty() && bytes >= left_.front().iov_len - begun_) {
      bytes -= left_.front().iov_len - begun_;
      begun_ = 0;
      left_ = left_.subspan(1);
    }
    begun_ += bytes;
  }

 private:
  void skip_empty() { advance(0); }

  std::span<const iovec> left_;
  std::size_t begun_ = 0;
};

/// @param portion  ssize_t(Place& local, Place& remote): moves what one call can. -1: errno says
/// why not.
template <class Portion>
Moved in_portions(std::span<const iovec> local, std::span<const iovec> remote, const Portion& portion) noexcept {
  Moved moved;
  Place to(local);
  Place from(remote);
  while (!to.done() && !from.done()) {
    const ssize_t bytes = portion(to, from);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) {
      // A portion that begins with a bad entry moves nothing. A result of 0 cannot happen, but must
      // not loop either.
      moved.error = bytes < 0 ? errno : EFAULT;
      return moved;
    }
    moved.bytes += bytes;
    to.advance(static_cast<std::size_t>(bytes));
    from.advance(static_cast<std::size_t>(bytes));
  }
  return moved;
}

/// @param copy  process_vm_readv or process_vm_writev.
Moved by_system(ssize_t (*copy)(pid_t, const iovec*, unsigned long, const iovec*, unsigned long, unsigned long), pid_t pid,
                std::span<const iovec> local, std::span<const iovec> remote) noexcept {
  std::array<iovec, most_copied> near_copy;
  std::array<iovec, most_copied> far_copy;
  return in_portions(local, remote, [&](Place& near, Place& far) {
    const std::span<const iovec> here = near.window(near_copy);
    const std::span<const iovec> there = far.window(far_copy);
    return copy(pid, here.data(), here.size(), there.data(), there.size(), 0);
  });
}

}  // namespace

Moved read(pid_t pid, std::span<const iovec> local, std::span<const iovec> remote) noexcept {
  return by_system(process_vm_readv, pid, local, remote);
}

Moved write(pid_t pid, std::span<const iovec> local, std::span<const iovec> remote) noexcept {
  return by_system(process_vm_writev, pid, local, remote);
}

Moved read_file(pid_t pid, std::span<const iovec> local, std::span<const iovec> remote) noexcept {
  std::array<char, 32> path{};
  std::snprintf(path.data(), path.size(), "/proc/%d/mem", static_cast<int>(pid));
  const Descriptor file(::open(path.data(), O_RDONLY | O_CLOEXEC));
  if (!file) return {.error = errno};
  std::array<iovec, most_copied> to_copy;
  std::array<iovec, most_copied> from_copy;
  std::array<iovec, most_copied> cut;
  return in_portions(local, remote, [&](Place& to, Place& from) {
    const iovec piece = from.window(from_copy).front();
    std::size_t entries = 0;
    std::size_t left = piece.iov_len;
    for (const iovec& entry : to.window(to_copy)) {
      if (left == 0 || entries == cut.size()) break;
      cut[entries] = {entry.iov_base, std::min(entry.iov_len, left)};
      left -= cut[entries++].iov_len;
    }
    const auto at = static_cast<off_t>(reinterpret_cast<std::uintptr_t>(piece.iov_base));
    return preadv(file.get(), cut.data(), static_cast<int>(entries), at);
  });
}

bool can_be_read_now() noexcept { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0) == 1; }

Cma::Cma(int processes) : Transport(*find("cma"), processes), processes_(static_cast<std::size_t>(processes)) {}

Cma::Cma(const std::vector<pid_t>& processes) : Cma(static_cast<int>(processes.size())) {
  processes_ = processes;
  for (std::size_t peer = 0; peer < processes.size(); ++peer) link(static_cast<int>(peer), true, true);
}

int Cma::offer(Ticket& ticket) noexcept {
  ticket = 0;
  // The Yama module may restrict ptrace, and with it process_vm_readv, to parents. This lifts the
  // restriction for the user's processes.
  prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  return 0;
}

void Cma::meet(int peer, pid_t process, Ticket /*theirs*/) noexcept { processes_[static_cast<std::size_t>(peer)] = process; }

Moved Cma::pull(int peer, std::span<const iovec> local, std::span<const iovec> remote) noexcept {
  const pid_t process = processes_[static_cast<std::size_t>(peer)];
  if (process == 0) return {.error = ESRCH};  // it is in a pid namespace that is not visible from here
  const Moved moved = read(process, local, remote);
  // process_vm_readv worked in MPI_Init, but is refused now. This process must read the message all
  // the same: a sender that has left it may be in a call that waits for this process.
  return reach(peer) && (moved.error == EPERM || moved.error == ENOSYS) ? read_file(process, local, remote) : moved;
}

Moved Cma::push(int peer, std::span<const iovec> local, std::span<const iovec> remote) noexcept {
  return write(processes_[static_cast<std::size_t>(peer)], local, remote);
}

}  // namespace heddle::transport::cma

namespace heddle::transport {

std::unique_ptr<Transport> make_cma(const JoinedNode& node) { return std::make_unique<cma::Cma>(node.size()); }

}  // namespace heddle::transport
