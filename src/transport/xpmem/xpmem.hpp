// transport/xpmem/xpmem.hpp: attaches memory of a peer by XPMEM, a kernel module with a library.
//
//   owner        xpmem_make: its whole address space         → segment, which is the ticket
//   receiver     xpmem_get                                    → permit, once for each peer, at first use
//                xpmem_attach                                 → the pages of one message's buffer have an address here
//                ... copies from layout to layout ...
//                xpmem_detach                                 at the end of the message
//
// Rules (docs/safety.md):
// - An attachment lives as long as its message, and its sender stays in its call for so long. So it
//   never shows pages that the owner has unmapped since, and there is no cache that could be stale.
// - A page that cannot be read raises SIGBUS. So the kernel reads a byte of each page first: then a
//   bad page is an error, and the message takes another way. This also maps the pages.
// - Only xpmem_detach() may end an attachment. The module kills a process that unmaps one.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "transport/region.hpp"
#include "transport/transport.hpp"
#include "transport/xpmem/libxpmem.hpp"

namespace heddle::transport {

class Xpmem final : public Transport {
 public:
  explicit Xpmem(int processes);
  ~Xpmem() override;

  /// Longer buffers are not attached. Each page costs a fault, also in the holes of a layout.
  static constexpr Bytes most = Bytes{64} << 20;

  int offer(Ticket& ticket) noexcept override;
  void meet(int peer, pid_t process, Ticket theirs) noexcept override;
  [[nodiscard]] MappedBuffer map(const PeerBuffer& buffer) noexcept override;
  void unmap(std::byte* base, Bytes bytes) noexcept override;

 private:
  struct Peer {
    std::int64_t segment = 0;
    std::atomic<std::int64_t> permit{0};  // 0: not asked for yet; negative: refused
  };

  [[nodiscard]] std::int64_t permit(Peer& peer) noexcept;
  [[nodiscard]] bool readable(std::byte* base, Bytes bytes) const noexcept;

  const xpmem::Library* library_ = nullptr;
  std::int64_t segment_ = 0;
  Descriptor sink_;  // gets bytes of pages that the kernel reads
  int processes_;
  std::unique_ptr<Peer[]> peers_;
  std::mutex lock_;
};

}  // namespace heddle::transport
