// transport/fabric/control_messages.hpp: control messages: words that two processes exchange about
// a message, besides its data. docs/fabric.md draws their order.
//
//   Control word{.kind = Kind::credit, .to = theirs, .segment = slot};
//   seal(word, nonce);  ...  send(peer, &word, bytes_of(word));
//   if (const Control* heard = read(buffer, length, nonce)) ...        // null: damaged, forged, or of another job
//
// All machines must be of one kind, because numbers travel in the machine's own format.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "transport/fabric/endpoint.hpp"
#include "transport/fabric/failure.hpp"

namespace heddle::transport::fabric {

/// How the bytes of a message move (Wu, Wyckoff, Panda 2004, §3.1 and §4.1 to §4.3).
enum class FabricScheme : std::uint8_t {
  bc_spup,  ///< Packed in segments, written into the receiver's segments, unpacked there.
  rwg_up,   ///< Gathered by the network from the sender's blocks into the receiver's segments, unpacked there.
  p_rrs,    ///< Packed in segments (or contiguous), read by the receiver into its blocks.
  multi_w,  ///< Written from blocks into blocks.
};

constexpr std::size_t most_address = 64;  ///< Bytes.
constexpr std::size_t most_places = 16;   ///< Most segments that a receiver grants, or regions that it offers.

/// Identifies a process, so that other processes of its node can see it die.
struct Identity {
  std::uint64_t node = 0;  ///< Hash of the running kernel and the pid namespace.
  std::int64_t process = 0;
  bool operator==(const Identity&) const = default;
};

/// A process and the address that reaches it.
struct Whereabouts {
  Identity who{};
  std::uint64_t address_bytes = 0;
  std::array<std::byte, most_address> address{};
};

constexpr std::uint8_t mark_of(std::string_view provider) noexcept {
  unsigned mark = 0;
  for (const char each : provider) mark = (mark * 31 + static_cast<unsigned char>(each)) % 251;
  return static_cast<std::uint8_t>(mark);
}

/// The sender's first word. It does not go over the fabric: the caller brings it to the receiver,
/// by the way in which messages are matched.
struct Announcement {
  std::uint64_t nonce = 0;  ///< Of the job.
  std::uint32_t from = 0;   ///< The message's number at the sender.
  FabricScheme if_unpacks = FabricScheme::bc_spup;
  FabricScheme if_in_place = FabricScheme::multi_w;
  std::uint8_t address_bytes = 0;
  std::uint8_t provider = 0;  ///< mark_of() the provider's name: addresses mean nothing to another provider.
  Bytes total = 0;
  Bytes segment = 0;
  Identity who{};
  std::array<std::byte, most_address> address{};
  std::uint64_t sum = 0;
};
static_assert(std::is_trivially_copyable_v<Announcement> && sizeof(Announcement) == 120);

/// A place in memory: a granted segment, an offered region, or packed bytes that are ready.
struct Place {
  Remote memory{};
  Bytes low = 0;  ///< For a region: its begin, counted from the receiver's element 0.
};

enum class Kind : std::uint8_t {
  reply,     ///< Receiver: here are segments, or here is my buffer.
  landed,    ///< Sender: segment `segment` is in its slot. Used if a notification could come before the data.
  credit,    ///< Receiver: segment `segment` is unpacked, its slot is free.
  ready,     ///< Sender: bytes offset … offset + length of the stream are at `place[0]`.
  taken,     ///< Receiver: I have read the `ready` numbered `segment`.
  finished,  ///< Sender: all is written.
  abandon,   ///< Either: the message has failed, because of `failure`.
  stopped,   ///< Either, after abandon: all my operations have ended. segment 1: tell me when yours have.
  ping,      ///< Either: are you there? It belongs to no message.
  hello,     ///< To a process before the first message: here is my address, please answer.
  welcome,   ///< Answer to hello.
};
constexpr Kind last_kind = Kind::welcome;

struct Control {
  std::uint64_t sum = 0;
  std::uint64_t nonce = 0;
  Kind kind = Kind::ping;
  Failure failure = Failure::none;
  /// reply: true offers the receiver's buffer, to write or read into; false grants segments.
  /// stopped: this side has the whole message.
  bool in_place = false;
  std::uint8_t places = 0;   ///< Entries of `place` that are filled.
  std::uint32_t to = 0;      ///< The message's number at the process that this goes to,
  std::uint32_t from = 0;    ///< and at the process that this comes from.
  std::uint32_t layout = 0;  ///< reply: id and version of the receiver's layout, and (in `wire`) the place of its wire form.
  std::uint32_t version = 0;
  std::uint32_t wire_bytes = 0;
  Bytes segment = 0;  ///< reply: bytes of a segment. Others: number of a segment.
  Bytes offset = 0;
  Bytes length = 0;
  Count count = 0;  ///< reply in place: number of the receiver's elements.
  Remote wire{};
  Identity who{};
  std::uint64_t address_bytes = 0;  ///< reply, hello: the address of its sender.
  std::array<std::byte, most_address> address{};
  std::array<Place, most_places> place{};
};
static_assert(std::is_trivially_copyable_v<Control>);

/// The number of bytes that travel.
constexpr std::size_t bytes_of(const Control& control) noexcept {
  return offsetof(Control, place) + control.places * sizeof(Place);
}

void seal(Control& control, std::uint64_t nonce) noexcept;
void seal(Announcement& announcement, std::uint64_t nonce) noexcept;

/// Reads bytes that have arrived. False: they are damaged or not of this job, and must not be used.
bool read(std::span<const std::byte> arrived, std::uint64_t nonce, Control& control) noexcept;
bool read(std::span<const std::byte> arrived, std::uint64_t nonce, Announcement& announcement) noexcept;

/// The 32 bits of a notification: low half of the receiver's message number, low half of the
/// segment's number.
constexpr std::uint32_t note(std::uint32_t message, Bytes segment) noexcept {
  return message << 16 | (static_cast<std::uint32_t>(segment) & 0xffffU);
}

}  // namespace heddle::transport::fabric
