// transport/fabric/control.hpp: what two processes tell each other about a message, beside its
// data.
//
//   Control word{.kind = Kind::credit, .to = theirs, .segment = slot};
//   seal(word, nonce);  ...  send(peer, &word, bytes_of(word));
//   if (const Control* heard = read(buffer, length, nonce)) ...        // null: damaged, forged, or of another job
//
// Machines of one kind only: numbers travel as they lie in memory.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <type_traits>

#include "transport/fabric/endpoint.hpp"
#include "transport/fabric/failure.hpp"

namespace heddle::transport::fabric {

/// How the bytes of a message move (Wu, Wyckoff, Panda 2004, §3.1 and §4.1 to §4.3).
enum class Scheme : std::uint8_t {
  bc_spup,  ///< Packed in segments, written into segments of the receiver's, unpacked there.
  rwg_up,   ///< Gathered by the network from the sender's blocks into segments of the receiver's, unpacked there.
  p_rrs,    ///< Packed in segments (or contiguous), read by the receiver into its blocks.
  multi_w,  ///< Written from blocks into blocks.
};

constexpr std::size_t most_address = 64;  ///< Bytes.
constexpr std::size_t most_places = 16;   ///< Segments that a receiver grants, regions that it offers.

/// Who somebody is, so that a process of this node can see it die.
struct Identity {
  std::uint64_t node = 0;  ///< Of the kernel that runs it and the pid namespace.
  std::int64_t process = 0;
  bool operator==(const Identity&) const = default;
};

/// Who somebody is, and by which address it is reached.
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

/// What the sender says first. It does not go over the fabric: the caller brings it to the receiver, in whatever way messages
/// are matched there.
struct Announcement {
  std::uint64_t nonce = 0;  ///< Of the job.
  std::uint32_t from = 0;   ///< Its number at the sender.
  Scheme if_unpacks = Scheme::bc_spup;
  Scheme if_in_place = Scheme::multi_w;
  std::uint8_t address_bytes = 0;
  std::uint8_t provider = 0;  ///< mark_of() its name: addresses mean nothing to another one.
  Bytes total = 0;
  Bytes segment = 0;
  Identity who{};
  std::array<std::byte, most_address> address{};
  std::uint64_t sum = 0;
};
static_assert(std::is_trivially_copyable_v<Announcement> && sizeof(Announcement) == 120);

/// A segment that is granted, a region that is offered, packed bytes that are ready.
struct Place {
  Remote memory{};
  Bytes low = 0;  ///< Of a region: where it begins, from the receiver's element 0.
};

enum class Kind : std::uint8_t {
  reply,     ///< Receiver: here are segments, or: here is my buffer.
  landed,    ///< Sender: segment `segment` is in its slot (where a notification could come before the data).
  credit,    ///< Receiver: segment `segment` is unpacked, its slot is free.
  ready,     ///< Sender: bytes offset … offset + length of the stream are at `place[0]`.
  taken,     ///< Receiver: I have read the `ready` numbered `segment`.
  finished,  ///< Sender: all is written.
  abandon,   ///< Either: it goes no further, because of `failure`.
  stopped,   ///< Either, after abandon: nothing of mine is under way any more; segment 1: and of yours?
  ping,      ///< Nobody in particular: are you there?
  hello,     ///< To somebody with whom there has been no message yet: do we hear each other? This is where I am.
  welcome,   ///< I have heard your hello.
};
constexpr Kind last_kind = Kind::welcome;

struct Control {
  std::uint64_t sum = 0;
  std::uint64_t nonce = 0;
  Kind kind = Kind::ping;
  Failure failure = Failure::none;
  bool in_place = false;     ///< reply: write into (or read to) my buffer; else into the segments. stopped: I have it all.
  std::uint8_t places = 0;   ///< Of `place` that are filled.
  std::uint32_t to = 0;      ///< The message's number where this goes,
  std::uint32_t from = 0;    ///< and where it comes from.
  std::uint32_t layout = 0;  ///< reply: id, version, and where the wire form of the receiver's layout is.
  std::uint32_t version = 0;
  std::uint32_t wire_bytes = 0;
  Bytes segment = 0;  ///< reply: bytes of one. Others: its number.
  Bytes offset = 0;
  Bytes length = 0;
  Count count = 0;  ///< reply in place: of the receiver's elements.
  Remote wire{};
  Identity who{};
  std::uint64_t address_bytes = 0;  ///< reply, hello: by which its sender is reached.
  std::array<std::byte, most_address> address{};
  std::array<Place, most_places> place{};
};
static_assert(std::is_trivially_copyable_v<Control>);

/// So many bytes travel.
constexpr std::size_t bytes_of(const Control& control) noexcept {
  return offsetof(Control, place) + control.places * sizeof(Place);
}

void seal(Control& control, std::uint64_t nonce) noexcept;
void seal(Announcement& announcement, std::uint64_t nonce) noexcept;

/// Reads what has arrived. False: it is none of ours, or damaged; nothing of it may be used.
bool read(std::span<const std::byte> arrived, std::uint64_t nonce, Control& control) noexcept;
bool read(std::span<const std::byte> arrived, std::uint64_t nonce, Announcement& announcement) noexcept;

/// A notification's 32 bits: the receiver's channel (its number's low half), the segment's low half.
constexpr std::uint32_t note(std::uint32_t message, Bytes segment) noexcept {
  return message << 16 | (static_cast<std::uint32_t>(segment) & 0xffffU);
}

}  // namespace heddle::transport::fabric
