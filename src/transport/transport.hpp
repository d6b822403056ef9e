// transport/transport.hpp: the interface of the ways to reach the memory of another process of the
// node. Each such transport has a folder here and a row in transport_table.hpp.
//
//   transport.offer(ticket)                   before the join: prepares this process's memory; peers get the ticket
//   transport.meet(peer, process, ticket)     a peer's ticket has come. The join then tries to reach the peer's memory,
//   transport.link(peer, works, works_back)   and tells the result of both directions
//
//   if (transport.reach(peer)) ...            from then on
//   MappedBuffer theirs = transport.map(buffer)          maps (entry().can.map): the memory gets an address here
//   Moved moved = transport.pull(peer, local, remote)    copies (entry().can.copy), by lists of pieces
//
// A message calls map() once, and then copies from layout to layout. A transport that copies is
// called once for each system call. No function throws.
#pragma once

#include <sys/types.h>
#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "transport/peer_buffer.hpp"
#include "transport/transport_table.hpp"

namespace heddle::transport {

struct Moved {
  Bytes bytes = 0;  ///< Bytes that have arrived: a prefix of both lists.
  int error = 0;    ///< 0, or an errno (ESRCH, EPERM, EFAULT, ENOSYS).
};

/// The number by which peers reach a process's memory, if the transport needs one.
using Ticket = std::uint64_t;

class Transport;

/// Memory of a peer that is mapped here, for reading, as long as this object lives.
class MappedBuffer {
 public:
  MappedBuffer() = default;
  /// @param by  Gets unmap(base, bytes) in the end; null: nothing needs to be undone.
  explicit MappedBuffer(const std::byte* address, Transport* by = nullptr, std::byte* base = nullptr, Bytes bytes = 0) noexcept
      : address_(address), by_(by), base_(base), bytes_(bytes) {}
  MappedBuffer(MappedBuffer&& other) noexcept { *this = std::move(other); }
  MappedBuffer& operator=(MappedBuffer&& other) noexcept {
    std::swap(address_, other.address_);
    std::swap(by_, other.by_);
    std::swap(base_, other.base_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  MappedBuffer(const MappedBuffer&) = delete;
  MappedBuffer& operator=(const MappedBuffer&) = delete;
  ~MappedBuffer();

  /// The address here of the buffer's first byte. Null: it is not mapped.
  [[nodiscard]] const std::byte* address() const noexcept { return address_; }

 private:
  const std::byte* address_ = nullptr;
  Transport* by_ = nullptr;
  std::byte* base_ = nullptr;
  Bytes bytes_ = 0;
};

class Transport {
 public:
  Transport(const TransportEntry& entry, int processes) : entry_(entry), links_(static_cast<std::size_t>(processes)) {}
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  virtual ~Transport() = default;

  /// Name, capabilities and cost.
  [[nodiscard]] const TransportEntry& entry() const noexcept { return entry_; }

  /// True: this process can reach that peer's memory; that peer can reach this process's memory.
  [[nodiscard]] bool reach(int peer) const noexcept { return links_[static_cast<std::size_t>(peer)].reach; }
  [[nodiscard]] bool reached_by(int peer) const noexcept { return links_[static_cast<std::size_t>(peer)].reached_by; }
  void link(int peer, bool reach, bool reached_by) noexcept { links_[static_cast<std::size_t>(peer)] = {reach, reached_by}; }

  /// Prepares this process's memory for its peers. Returns 0 or an errno.
  virtual int offer(Ticket& ticket) noexcept {
    ticket = 0;
    return 0;
  }
  /// @param process  The peer's number here; 0: not visible from here.
  virtual void meet(int /*peer*/, pid_t /*process*/, Ticket /*theirs*/) noexcept {}
  /// All processes have joined.
  virtual void joined() noexcept {}
  /// False: the system now refuses peers that reached this process's memory at the join. Takes 0.1
  /// us.
  [[nodiscard]] virtual bool reachable_now() const noexcept { return true; }

  /// Maps a buffer of a peer. Not mapped: take another way. Any thread may call it.
  [[nodiscard]] virtual MappedBuffer map(const PeerBuffer& /*buffer*/) noexcept { return {}; }
  virtual void unmap(std::byte* /*base*/, Bytes /*bytes*/) noexcept {}

  /// Copies from `remote` (addresses in the peer) to `local`, as many bytes as the shorter list
  /// holds. Entry boundaries need not agree.
  virtual Moved pull(int peer, std::span<const iovec> local, std::span<const iovec> remote) noexcept;
  /// Copies from `local` to `remote`.
  virtual Moved push(int peer, std::span<const iovec> local, std::span<const iovec> remote) noexcept;

 private:
  struct Link {
    bool reach = false;
    bool reached_by = false;
  };
  const TransportEntry& entry_;
  std::vector<Link> links_;
};

inline MappedBuffer::~MappedBuffer() {
  if (by_) by_->unmap(base_, bytes_);
}

/// A peer's memory, as a transport that copies reaches it. False: no transport does.
struct Copier {
  Transport* transport = nullptr;
  int peer = -1;

  explicit operator bool() const noexcept { return transport != nullptr; }
  Moved pull(std::span<const iovec> local, std::span<const iovec> remote) const noexcept {
    return transport->pull(peer, local, remote);
  }
  Moved push(std::span<const iovec> local, std::span<const iovec> remote) const noexcept {
    return transport->push(peer, local, remote);
  }
};

}  // namespace heddle::transport
