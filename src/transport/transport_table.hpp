// transport/transport_table.hpp: the transports within a node: one row each, the preferred one
// first. HEDDLE_TRANSPORTS, the choice of a scheme, `heddle explain`, `heddle tune`, `heddle
// algorithms` and the messages about refusals read this table.
//
//   for (const TransportEntry& entry : transports) print(entry.name, entry.description);
//
// A new transport adds a row, the declaration of its maker, and its folder.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>

namespace heddle::transport {

class JoinedNode;
class Transport;

/// The abilities of a transport.
struct Capabilities {
  int copies = 1;                   ///< Passes over the data. One pass reads at the sender and writes at the receiver.
  bool gather = true;               ///< Reads a layout with holes in place, at the sender.
  bool scatter = true;              ///< Writes a layout with holes in place, at the receiver.
  bool one_sided = false;           ///< Moves bytes without any action of the other process.
  bool needs_registration = false;  ///< The sender's memory must be prepared (allocated by Heddle, or registered).
  bool map = false;                 ///< Gives a peer's memory an address here: schemes direct and both.
  bool copy = false;                ///< Copies by lists of pieces: schemes rwg-up, p-rrs and multi-w.

  /// True: the join must try it, with each peer.
  [[nodiscard]] constexpr bool any_memory() const noexcept { return (map || copy) && !needs_registration; }
};

struct TransportEntry {
  std::string_view name{};         ///< In HEDDLE_TRANSPORTS.
  std::string_view description{};  ///< How it works, in words.
  Capabilities can{};
  bool always = false;        ///< HEDDLE_TRANSPORTS cannot leave it out. It needs no node memory.
  bool by_default = true;     ///< HEDDLE_TRANSPORTS=auto allows it.
  std::string_view cost{};    ///< In words, with figures, measured on two cores with cold caches.
  double message_ns = 0;      ///< A transport that maps needs so long to prepare a buffer,
  double page_ns = 0;         ///< and so long for each page of the buffer, ns.
  std::string_view memory{};  ///< `heddle explain` names the memory that a transport maps.
  std::string_view means{};   ///< The facility of the system, for messages about a refusal,
  std::string_view remedy{};  ///< and the way to get it.
  std::unique_ptr<Transport> (*make)(const JoinedNode& node) = nullptr;  ///< Null: the engine carries it out by itself.

  /// The preparation of a buffer of so many bytes, ns.
  [[nodiscard]] constexpr double preparation(std::int64_t bytes) const noexcept {
    const std::int64_t pages = (bytes + 4095) / 4096;
    return message_ns + page_ns * static_cast<double>(pages);
  }
};

std::unique_ptr<Transport> make_mapped(const JoinedNode& node);
std::unique_ptr<Transport> make_xpmem(const JoinedNode& node);
std::unique_ptr<Transport> make_cma(const JoinedNode& node);

inline constexpr std::array transports = {
    TransportEntry{.name = "self",
                   .description = "a process to itself: one pass from layout to layout",
                   .can = {.one_sided = true},
                   .always = true,
                   .cost = "that of a copy"},
    TransportEntry{
        .name = "mapped",
        .description =
            "the receiver copies from layout to layout out of the sender's memory, which it has mapped: what heddle_alloc "
            "gave out",
        .can = {.one_sided = true, .needs_registration = true, .map = true},
        .cost = "about 60 ns for each remote cache line that stands alone; as a copy where they are many in a row",
        .memory = "memory of heddle_alloc",
        .make = make_mapped},
    TransportEntry{
        .name = "xpmem",
        .description =
            "as mapped, for any memory of a sender that waits in its call: the receiver attaches it by XPMEM for the "
            "time of the message. Never tried with the real module, so only on demand",
        .can = {.one_sided = true, .map = true},
        .by_default = false,
        .cost = "as mapped, plus an assumed 2 us a message and 250 ns for each page",
        .message_ns = 2000,
        .page_ns = 250,
        .memory = "any memory, attached by XPMEM",
        .means = "XPMEM",
        .remedy = "Install libxpmem and load its module",
        .make = make_xpmem},
    TransportEntry{.name = "cma",
                   .description = "the receiver reads the sender's memory by process_vm_readv, pieces on both sides",
                   .can = {.one_sided = true, .copy = true},
                   .cost = "0.44 us a call, 107 to 150 ns for each remote piece, 17 to 25 ns for each local one",
                   .means = "process_vm_readv",
                   .remedy = "Allow ptrace between the processes",
                   .make = make_cma},
    TransportEntry{.name = "ring",
                   .description = "the sender packs segments into shared memory while the receiver unpacks those before",
                   .can = {.copies = 2},
                   .cost = "two copies that overlap: both sides must be in a call"},
    TransportEntry{.name = "mpi",
                   .description = "packed, sent by the MPI library, unpacked",
                   .can = {.copies = 2},
                   .always = true,
                   .cost = "two copies one after the other, and the library's own message"},
};

/// The row of that name, or null.
constexpr const TransportEntry* find(std::string_view name) noexcept {
  for (const TransportEntry& entry : transports)
    if (entry.name == name) return &entry;
  return nullptr;
}

/// The index of a row.
constexpr std::size_t index_of(const TransportEntry& entry) noexcept {
  return static_cast<std::size_t>(&entry - transports.data());
}

/// Allowed transports. Those that are always allowed are not counted.
class TransportSet {
 public:
  /// Those of HEDDLE_TRANSPORTS=auto.
  constexpr TransportSet() noexcept {
    for (const TransportEntry& entry : transports)
      if (entry.by_default) add(entry);
  }
  static constexpr TransportSet none() noexcept {
    TransportSet set;
    set.rows_ = 0;
    return set;
  }

  constexpr void add(const TransportEntry& entry) noexcept {
    if (!entry.always) rows_ |= 1U << index_of(entry);
  }
  [[nodiscard]] constexpr TransportSet without(std::string_view name) const noexcept {
    TransportSet set = *this;
    set.rows_ &= ~(1U << index_of(*find(name)));
    return set;
  }
  [[nodiscard]] constexpr TransportSet with(std::string_view name) const noexcept {
    TransportSet set = *this;
    set.add(*find(name));
    return set;
  }
  [[nodiscard]] constexpr bool has(const TransportEntry& entry) const noexcept {
    return entry.always || (rows_ >> index_of(entry) & 1U) != 0;
  }
  [[nodiscard]] constexpr bool has(std::string_view name) const noexcept { return has(*find(name)); }
  /// True: the MPI library is the only transport.
  [[nodiscard]] constexpr bool empty() const noexcept { return rows_ == 0; }

  constexpr bool operator==(const TransportSet&) const noexcept = default;

 private:
  std::uint32_t rows_ = 0;
};
static_assert(transports.size() <= 32);

/// `before`, and the names of all transports, as "self,mapped,...". No end mark.
template <std::size_t length>
constexpr auto with_names(const char (&before)[length]) noexcept {
  constexpr std::size_t names = [] {
    std::size_t sum = transports.size() - 1;
    for (const TransportEntry& entry : transports) sum += entry.name.size();
    return sum;
  }();
  std::array<char, length - 1 + names> text{};
  std::size_t at = 0;
  for (std::size_t i = 0; i + 1 < length; ++i) text[at++] = before[i];
  for (const TransportEntry& entry : transports) {
    if (&entry != transports.data()) text[at++] = ',';
    for (const char letter : entry.name) text[at++] = letter;
  }
  return text;
}

}  // namespace heddle::transport
