// transport/fabric/endpoint.hpp: what the schemes need of a network, without a word of libfabric's.
// provider.cpp opens one by libfabric; tests wrap it to make things fail.
//
//   std::string why;
//   const std::unique_ptr<Endpoint> endpoint = open_endpoint({.provider = "tcp"}, why);
//   if (!endpoint) ...                                        // why: "no provider tcp ..."
//   endpoint->post({.kind = Post::write, .to = peer, .local = pieces, .descriptors = descriptors, .remote = places},
//   operation);
//
// Not safe for several threads. Nothing here waits. No function throws but where memory is short.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "layout/bytes.hpp"

namespace heddle::transport::fabric {

using layout::Bytes;
using layout::Count;

/// What is asked for, and what the user has said.
struct Wanted {
  std::string provider{};  ///< As in FI_PROVIDER: "tcp", "shm", "verbs;ofi_rxm"; empty: the first that can do all.
  std::string domain{};    ///< As `fi_info` names it; empty: any.
  std::string library{};   ///< File to load; empty: libfabric.so.1.
  bool sockets = true;     ///< False: none that only does what sockets do, if `provider` names none.
};

/// What the provider says of itself, or what the self-test has left of it.
struct Abilities {
  std::string provider;
  std::string domain;
  std::size_t iov = 1;              ///< Pieces of local memory in one operation.
  std::size_t rma_iov = 1;          ///< Pieces of remote memory.
  std::size_t cq_data = 0;          ///< Bytes of remote CQ data.
  std::size_t depth = 64;           ///< Operations under way.
  Bytes largest = 0;                ///< Bytes of one operation.
  bool delivery_complete = false;   ///< A completion may mean that the data is in the peer's memory.
  bool ordered_writes = false;      ///< A write's remote CQ data arrives after the data of the writes before it.
  bool local_registration = false;  ///< Local memory has to be registered, too.
  bool pins = false;                ///< Registered memory is pinned: it counts, and goes stale when it is unmapped.
  bool caches = false;              ///< libfabric keeps registrations itself, with a memory monitor of its own.
  bool node_local = false;          ///< Reaches processes of this node only.
};

/// Memory that the network may use.
struct Region {
  std::byte* start = nullptr;
  Bytes length = 0;
  std::uint64_t key = 0;       ///< For peers,
  std::uint64_t address = 0;   ///< who reach `start` by this.
  void* descriptor = nullptr;  ///< For this process.
  bool writable = true;
  void* handle = nullptr;

  [[nodiscard]] bool covers(const std::byte* at, Bytes bytes) const noexcept {
    return at >= start && at - start <= length - bytes && bytes <= length;
  }
  [[nodiscard]] std::uint64_t address_of(const std::byte* at) const noexcept {
    return address + static_cast<std::uint64_t>(at - start);
  }
};

/// A piece of a peer's memory.
struct Remote {
  std::uint64_t address = 0;
  std::uint64_t length = 0;
  std::uint64_t key = 0;
};

using Handle = std::uint64_t;  ///< A peer, as the endpoint numbers them.

/// Stays in place until its completion has been polled.
struct Operation {
  alignas(16) std::byte context[64];  // providers may want it (FI_CONTEXT2)
};

struct Post {
  enum Kind : std::uint8_t { write, read, send, receive };
  Kind kind = write;
  Handle to = 0;
  std::span<const iovec> local{};
  std::span<void* const> descriptors{};
  std::span<const Remote> remote{};     ///< As many bytes as in `local`.
  std::optional<std::uint32_t> data{};  ///< To be seen by the peer when the bytes of this write are in place.
  bool more = false;                    ///< Another follows at once (FI_MORE).
};

enum class Posted : std::uint8_t { yes, full, broken };

struct Event {
  enum Kind : std::uint8_t { completed, notified };
  Kind kind = completed;
  int error = 0;                   ///< 0, or libfabric's number for it.
  Operation* operation = nullptr;  ///< That has completed; null for a notification.
  std::uint64_t data = 0;          ///< That a peer's write brought.
  std::size_t length = 0;          ///< Bytes received.
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  [[nodiscard]] virtual const Abilities& abilities() const noexcept = 0;
  /// Opaque bytes by which others reach this endpoint.
  [[nodiscard]] virtual std::vector<std::byte> address() = 0;
  /// False: these bytes are no address.
  virtual bool connect(std::span<const std::byte> address, Handle& peer) = 0;

  /// `full`: again after a poll. `broken`: the peer cannot be reached, `error` says why. Writes complete when they are
  /// delivered, reads and sends when the local memory may be used.
  virtual Posted post(const Post& what, Operation& operation, int* error = nullptr) noexcept = 0;
  /// Moves what is under way, and returns how many events it has written.
  virtual std::size_t poll(std::span<Event> events) noexcept = 0;

  /// 0, or an errno value; no more is registered than asked for.
  virtual int enlist(std::byte* start, Bytes length, bool writable, Region& region) noexcept = 0;
  virtual void release(Region& region) noexcept = 0;

  /// Ends all that is under way, without events: nothing of this process is read or written by it any more. For good.
  virtual void shut() noexcept = 0;

  /// "Connection refused"
  [[nodiscard]] virtual std::string words(int error) const = 0;
};

/// Null: `why` says what is not there, in a sentence without a full stop.
std::unique_ptr<Endpoint> open_endpoint(const Wanted& wanted, std::string& why);

/// Whether this build knows libfabric at all.
bool built_with_libfabric() noexcept;

}  // namespace heddle::transport::fabric
