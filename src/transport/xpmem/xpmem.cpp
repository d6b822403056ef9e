// transport/xpmem/xpmem.cpp: makes segments for peers, attaches theirs, and detaches them.
#include "transport/xpmem/xpmem.hpp"

#include <sys/mman.h>
#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <memory>

#include "transport/join_node.hpp"
#include "transport/region.hpp"

namespace heddle::transport {
namespace {

constexpr std::size_t most_pages = 64;  // of one call: few, because programs may call from fibres with small stacks

void* permissions() noexcept { return reinterpret_cast<void*>(xpmem::owner_only); }  // NOLINT(performance-no-int-to-ptr)

int error_or(int otherwise) noexcept { return errno != 0 ? errno : otherwise; }

}  // namespace

Xpmem::Xpmem(int processes)
    : Transport(*find("xpmem"), processes),
      processes_(processes),
      peers_(std::make_unique<Peer[]>(static_cast<std::size_t>(processes))) {}

Xpmem::~Xpmem() {
  for (int peer = 0; peer < processes_; ++peer)
    if (const std::int64_t permit = peers_[static_cast<std::size_t>(peer)].permit; permit > 0) library_->release(permit);
  if (segment_ > 0) library_->remove(segment_);
}

int Xpmem::offer(Ticket& ticket) noexcept {
  ticket = 0;
  library_ = xpmem::library();
  if (!library_) return ENOENT;
  errno = 0;
  if (library_->version() < 0) return error_or(ENODEV);
  if (largest_file() < Bytes{most_pages}) return EFBIG;  // a write to the sink would kill the process (SIGXFSZ)
  sink_ = Descriptor(memfd_create("heddle", MFD_CLOEXEC));
  if (!sink_) return errno;
  errno = 0;
  segment_ = library_->make(nullptr, xpmem::all_memory, xpmem::permit_mode, permissions());
  if (segment_ <= 0) return error_or(EPERM);
  ticket = static_cast<Ticket>(segment_);
  return 0;
}

void Xpmem::meet(int peer, pid_t /*process*/, Ticket theirs) noexcept {
  peers_[static_cast<std::size_t>(peer)].segment = static_cast<std::int64_t>(theirs);
}

std::int64_t Xpmem::permit(Peer& peer) noexcept {
  const std::int64_t known = peer.permit.load(std::memory_order_acquire);
  if (known != 0) return known;
  const std::lock_guard guard(lock_);
  std::int64_t permit = peer.permit.load(std::memory_order_relaxed);
  if (permit != 0) return permit;
  permit = library_->get(peer.segment, xpmem::read_write, xpmem::permit_mode, permissions());
  peer.permit.store(permit > 0 ? permit : -1, std::memory_order_release);
  return permit;
}

bool Xpmem::readable(std::byte* base, Bytes bytes) const noexcept {
  std::array<iovec, most_pages> entries;
  if (largest_file() < Bytes{most_pages}) return false;  // the program has lowered the limit
  for (Bytes at = 0; at < bytes;) {
    std::size_t count = 0;
    for (; count < entries.size() && at < bytes; at += page_size()) entries[count++] = {base + at, 1};
    ssize_t read = 0;
    do read = pwritev(sink_.get(), entries.data(), static_cast<int>(count), 0);
    while (read < 0 && errno == EINTR);
    if (read != static_cast<ssize_t>(count)) return false;
  }
  return true;
}

MappedBuffer Xpmem::map(const PeerBuffer& buffer) noexcept {
  Peer& peer = peers_[static_cast<std::size_t>(buffer.peer)];
  if (!library_ || peer.segment <= 0 || !buffer.address || buffer.bytes <= 0 || buffer.bytes > most) return {};
  const auto page = static_cast<std::uintptr_t>(page_size());
  const auto address = reinterpret_cast<std::uintptr_t>(buffer.address);
  const std::uintptr_t last = address + static_cast<std::uintptr_t>(buffer.bytes) - 1;
  if (last < address) return {};
  const std::uintptr_t begin = address / page * page;
  const auto bytes = static_cast<Bytes>((last / page - begin / page + 1) * page);
  const std::int64_t permitted = permit(peer);
  if (permitted <= 0) return {};
  void* const attached = library_->attach({permitted, static_cast<off_t>(begin)}, static_cast<std::size_t>(bytes), nullptr);
  if (attached == MAP_FAILED || !attached) return {};  // xpmem_attach(), too, returns -1 for a failure
  auto* const base = static_cast<std::byte*>(attached);
  MappedBuffer mapped(base + (address - begin), this, base, bytes);
  return readable(base, bytes) ? std::move(mapped) : MappedBuffer();
}

void Xpmem::unmap(std::byte* base, Bytes /*bytes*/) noexcept { library_->detach(base); }

std::unique_ptr<Transport> make_xpmem(const JoinedNode& node) { return std::make_unique<Xpmem>(node.size()); }

}  // namespace heddle::transport
