// engine/node/lengths.hpp: tells a probe the size of a rendezvous without receiving its descriptor.
// All that a probe sees of a descriptor is its length. So descriptors come in several lengths, and
// each length stands for one message size of one tag at a time. The sender writes the meanings into
// its node memory (docs/protocol.md).
//
//   sender      const int code = book.take(total, tag, ...);     descriptor of Lengths::of(code) bytes
//   receiver    MPI_Iprobe ──▶ 224 bytes ──▶ Lengths(memory of the sender).probed_length(224, tag) ──▶ announced, 1 MiB
//
//   node memory, from byte 3072 on     16 words: tag (32 bits), size (31), and a bit: unclear
//                                      descriptors under way of the longest length, which stands for no size
//                                      facts for senders: this process probes, its receives overlap
//
// If the program itself is about to send a message of such a length, Heddle notes that first. From
// then on the length announces no message. If descriptors of that length and tag are already under
// way, the two cannot be told apart: unclear.
//
// A length stands for messages of one communicator at a time, too. A receiver that has lost a
// descriptor (announcements.hpp) knows length, tag and sender; it must not take a message of
// another communicator.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/node/arena.hpp"
#include "engine/node/descriptor.hpp"

namespace heddle::engine {

/// Says whether the receiver of a message may see its descriptor in a probe.
enum class Probed { never, perhaps, yes };

/// The meanings of lengths, in a sender's node memory.
class Lengths {
 public:
  static constexpr Bytes at = 3072;
  static constexpr int codes = 16;
  /// No powers of two, because programs send these. Multiples of 32, because hosts refuse half an
  /// element.
  static constexpr Bytes shortest = 160, step = 64;
  /// The length of descriptors for which no code is left.
  static constexpr Bytes unsized = shortest + codes * step;
  static constexpr Bytes longest = unsized;

  static constexpr Bytes of(int code) { return shortest + code * step; }
  static constexpr bool coded(Bytes length) { return noted(length) && length != unsized; }
  /// True: messages of this length that the program sends must be noted.
  static constexpr bool noted(Bytes length) {
    return length % step == shortest % step && length >= shortest && length <= longest;
  }
  static constexpr int code_of(Bytes length) { return static_cast<int>((length - shortest) / step); }
  /// True: a descriptor can have this length. Those on communicators of Heddle's own have 128
  /// bytes.
  static constexpr bool possible(Bytes length) { return length == sizeof(Descriptor) || noted(length); }

  /// The largest message size that a word can hold.
  static constexpr Bytes most = (Bytes{1} << 31) - 1;

  /// @param memory  Node memory of the sender, as mapped here.
  explicit Lengths(std::byte* memory) noexcept : shared_(reinterpret_cast<Shared*>(memory + at)) {}

  enum class Kind { plain, rendezvous, unclear };
  struct ProbedLength {
    Kind kind = Kind::plain;
    Bytes total = 0;  ///< Bytes of the announced message.
  };
  /// The meaning of a message from this sender that has this length and can be received now.
  [[nodiscard]] ProbedLength probed_length(Bytes length, int tag) const noexcept {
    if (length == unsized) return {shared_->unsized.load(std::memory_order_acquire) > 0 ? Kind::unclear : Kind::plain};
    if (!coded(length)) return {};
    const std::uint64_t word = shared_->words[code_of(length)].load(std::memory_order_acquire);
    if (word == 0 || static_cast<int>(word >> 32) != tag) return {};
    return {(word & 1) != 0 ? Kind::unclear : Kind::rendezvous, static_cast<Bytes>(word >> 1 & most)};
  }

  /// Tells whether a received message was a descriptor; `unclear`: perhaps.
  [[nodiscard]] Kind received(Bytes length, int tag) const noexcept {
    if (length != unsized) return probed_length(length, tag).kind;
    const std::uint32_t under_way = shared_->unsized.load(std::memory_order_acquire);
    if (under_way == 0) return Kind::plain;
    return (under_way & plain_too) != 0 ? Kind::unclear : Kind::rendezvous;
  }

  /// True: this process has probed. Senders then announce no message that a probe could mistake.
  [[nodiscard]] bool probes() const noexcept { return (shared_->ways.load(std::memory_order_relaxed) & probing) != 0; }
  void set_probes() noexcept { shared_->ways.fetch_or(probing, std::memory_order_relaxed); }
  /// True: this process has lost a descriptor. Senders then announce nothing to it.
  [[nodiscard]] bool overlaps() const noexcept { return (shared_->ways.load(std::memory_order_relaxed) & overlapping) != 0; }
  void set_overlaps() noexcept { shared_->ways.fetch_or(overlapping, std::memory_order_relaxed); }

 private:
  friend class LengthBook;
  struct Shared {
    std::array<std::atomic<std::uint64_t>, codes> words;
    std::atomic<std::uint32_t> unsized;  ///< Descriptors under way, and plain_too.
    std::atomic<std::uint32_t> ways;     ///< probing, overlapping
  };
  static constexpr std::uint32_t probing = 1, overlapping = 2;
  static constexpr std::uint32_t plain_too = 1U << 31;  ///< The program sends that length, too.
  static_assert(at + static_cast<Bytes>(sizeof(Shared)) <= Arena::head);
  Shared* shared_;
};

/// The sender's side. Its user holds a lock for all calls but settled().
class LengthBook {
 public:
  static constexpr int none = -1;     ///< The communicator is Heddle's own: 128 bytes.
  static constexpr int unsized = -2;  ///< No code is free: Lengths::unsized bytes. A probe must receive such a message.
  static constexpr int refused = -3;  ///< No length is free: the message must go another way. Never given back.

  explicit LengthBook(std::byte* memory) noexcept : lengths_(memory) {}

  /// Takes a length for a message of so many bytes that is about to be announced.
  /// @param comm  Any number that identifies its communicator.
  int take(Bytes total, int tag, std::uint64_t comm, Probed probed) noexcept;
  /// The message has been received, or was not sent.
  void give(int code) noexcept;

  /// True: the program has sent this length before, and nothing is left to be noted. Any thread may
  /// ask.
  [[nodiscard]] bool settled(Bytes length) const noexcept {
    return (settled_.load(std::memory_order_acquire) >> Lengths::code_of(length) & 1) != 0;
  }
  /// The program is about to send this length with this tag.
  void sends_plainly(Bytes length, int tag) noexcept;

 private:
  struct Code {
    Bytes total = 0;
    int tag = 0;
    int users = 0;
    std::uint64_t comm = 0;
    bool plain = false;      ///< The program sends such a length itself.
    std::uint64_t last = 0;  ///< When it was last given back.
  };
  void publish(int code, bool unclear) noexcept;
  void publish_unsized() noexcept;
  void settle(int code) noexcept { settled_.fetch_or(1U << code, std::memory_order_release); }

  Lengths lengths_;
  std::atomic<std::uint32_t> settled_{0};
  std::array<Code, Lengths::codes> code_{};
  Code unsized_{};
  std::uint64_t given_ = 0;
};

}  // namespace heddle::engine
