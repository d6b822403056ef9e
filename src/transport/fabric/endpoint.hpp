// transport/fabric/endpoint.hpp: a network as the schemes need it, without names of libfabric's.
// endpoint.cpp implements it by libfabric. Tests wrap it to make operations fail.
//
//   std::string why;
//   const std::unique_ptr<Endpoint> endpoint = open_endpoint({.provider = "tcp"}, why);
//   if (!endpoint) ...                                        // why: "no provider tcp ..."
//   endpoint->post({.kind = Post::write, .to = peer, .local = pieces, .descriptors = descriptors, .remote = places},
//   operation);
//
// Not safe for several threads. No function waits. Functions throw only if memory is short.
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

/// The network that the caller asks for.
struct Wanted {
  std::string provider{};  ///< As in FI_PROVIDER ("tcp", "shm", "verbs;ofi_rxm"). Empty: the first that can do all.
  std::string domain{};    ///< Its name in the output of `fi_info`. Empty: any.
  std::string library{};   ///< File to load. Empty: libfabric.so.1.
  bool sockets = true;     ///< False: without a name in `provider`, providers that work by sockets are left out.
};

/// The abilities that a provider claims, less those that the self-test took back.
struct Abilities {
  std::string provider;
  std::string domain;
  std::size_t iov = 1;              ///< Pieces of local memory in one operation.
  std::size_t rma_iov = 1;          ///< Pieces of remote memory.
  std::size_t cq_data = 0;          ///< Bytes of remote CQ data.
  std::size_t depth = 64;           ///< Operations under way.
  Bytes largest = 0;                ///< Bytes of one operation.
  bool delivery_complete = false;   ///< Completions can mean that the data is in the peer's memory.
  bool ordered_writes = false;      ///< The remote CQ data of a write arrives after the data of earlier writes.
  bool local_registration = false;  ///< Local memory has to be registered, too.
  bool pins = false;                ///< Registered memory is pinned: it counts as locked, and goes stale when it is unmapped.
  bool caches = false;              ///< libfabric itself caches registrations, and monitors memory.
  bool node_local = false;          ///< It only reaches processes of this node.
};

/// Registered memory, which the network may use.
struct Region {
  std::byte* start = nullptr;
  Bytes length = 0;
  std::uint64_t key = 0;       ///< Key for peers.
  std::uint64_t address = 0;   ///< Address of `start` for peers.
  void* descriptor = nullptr;  ///< Descriptor for this process.
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

/// An operation under way. It stays in place until its completion has been polled.
struct Operation {
  alignas(16) std::byte context[64];  // providers may need it (FI_CONTEXT2)
};

struct Post {
  enum Kind : std::uint8_t { write, read, send, receive };
  Kind kind = write;
  Handle to = 0;
  std::span<const iovec> local{};
  std::span<void* const> descriptors{};
  std::span<const Remote> remote{};     ///< Total size as in `local`.
  std::optional<std::uint32_t> data{};  ///< The peer gets this number when the bytes of this write are in place.
  bool more = false;                    ///< Another post follows at once (FI_MORE).
};

enum class Posted : std::uint8_t { yes, full, broken };

struct Event {
  enum Kind : std::uint8_t { completed, notified };
  Kind kind = completed;
  int error = 0;                   ///< 0, or libfabric's number for it.
  Operation* operation = nullptr;  ///< The operation that has completed; null for a notification.
  std::uint64_t data = 0;          ///< The number that a peer's write brought.
  std::size_t length = 0;          ///< Bytes received.
};

class Endpoint {
 public:
  virtual ~Endpoint() = default;

  [[nodiscard]] virtual const Abilities& abilities() const noexcept = 0;
  /// The address of this endpoint: bytes for connect() of other processes.
  [[nodiscard]] virtual std::vector<std::byte> address() = 0;
  /// False: the bytes are no address.
  virtual bool connect(std::span<const std::byte> address, Handle& peer) = 0;

  /// Result `full`: post again after a poll. Result `broken`: the peer cannot be reached, and
  /// `error` says why. Writes complete when they are delivered. Reads and sends complete when the
  /// local memory may be used again.
  virtual Posted post(const Post& what, Operation& operation, int* error = nullptr) noexcept = 0;
  /// Advances operations under way, and returns the number of events that it has written.
  virtual std::size_t poll(std::span<Event> events) noexcept = 0;

  /// Registers exactly this memory. 0, or an errno value.
  virtual int enlist(std::byte* start, Bytes length, bool writable, Region& region) noexcept = 0;
  virtual void release(Region& region) noexcept = 0;

  /// Closes the endpoint for good. It ends all operations without events. The network then neither
  /// reads nor writes memory of this process.
  virtual void shut() noexcept = 0;

  /// The text of an error: "Connection refused".
  [[nodiscard]] virtual std::string words(int error) const = 0;
};

/// Null: `why` gives the reason, in a sentence without a full stop.
std::unique_ptr<Endpoint> open_endpoint(const Wanted& wanted, std::string& why);

/// True if this build includes libfabric.
bool built_with_libfabric() noexcept;

}  // namespace heddle::transport::fabric
