// engine/lengths.hpp: how a probe learns the size of a rendezvous without receiving its descriptor. All that it sees
// of it is a length. So descriptors come in several lengths, each of which stands for one size of message of one tag at a
// time; which, their sender says in its node memory (docs/protocol.md). May include: arena.hpp, descriptor.hpp.
//
//   sender      const int code = book.take(total, tag, ...);     descriptor of Lengths::of(code) bytes
//   receiver    MPI_Iprobe ──▶ 224 bytes ──▶ Lengths(memory of the sender).seen(224, tag) ──▶ announced, 1 MiB
//
//   node memory, from byte 3072 on     16 words: tag (32 bits), size (31), and a bit: unclear
//                                      descriptors of 128 bytes under way     this process probes
//
// What the program itself sends in one of these lengths is noted before it is sent, and from then on that length announces no
// more. Only while descriptors of that length and tag are under way already cannot be said which is which: unclear.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "engine/arena.hpp"
#include "engine/descriptor.hpp"

namespace heddle::engine {

/// Whether the receiver of a message may come across its descriptor in a probe.
enum class Probed { never, perhaps, yes };

/// What is in a sender's node memory.
class Lengths {
 public:
  static constexpr Bytes at = 3072;
  static constexpr int codes = 16;
  /// No powers of two, which programs send, and multiples of 32: hosts refuse half an element.
  static constexpr Bytes shortest = 160, step = 64, longest = shortest + (codes - 1) * step;

  static constexpr Bytes of(int code) { return shortest + code * step; }
  static constexpr bool coded(Bytes length) {
    return length % step == shortest % step && length >= shortest && length <= longest;
  }
  static constexpr int code_of(Bytes length) { return static_cast<int>((length - shortest) / step); }
  /// Whether a descriptor can be of this length.
  static constexpr bool possible(Bytes length) { return length == sizeof(Descriptor) || coded(length); }

  /// A word has room for so many bytes.
  static constexpr Bytes most = (Bytes{1} << 31) - 1;

  /// @param memory  Node memory of the sender, as mapped here.
  explicit Lengths(std::byte* memory) noexcept : shared_(reinterpret_cast<Shared*>(memory + at)) {}

  enum class Kind { plain, rendezvous, unclear };
  struct Seen {
    Kind kind = Kind::plain;
    Bytes total = 0;  ///< Of what is announced.
  };
  /// A message of this length, from this sender, that is there to be received.
  [[nodiscard]] Seen seen(Bytes length, int tag) const noexcept {
    if (length == sizeof(Descriptor) && shared_->unsized.load(std::memory_order_acquire) > 0) return {Kind::unclear};
    if (!coded(length)) return {};
    const std::uint64_t word = shared_->words[code_of(length)].load(std::memory_order_acquire);
    if (word == 0 || static_cast<int>(word >> 32) != tag) return {};
    return {(word & 1) != 0 ? Kind::unclear : Kind::rendezvous, static_cast<Bytes>(word >> 1 & most)};
  }

  /// Of this process: whether it has ever probed; senders then announce nothing that a probe could mistake.
  [[nodiscard]] bool probes() const noexcept { return shared_->probes.load(std::memory_order_relaxed) != 0; }
  void set_probes() noexcept { shared_->probes.store(1, std::memory_order_relaxed); }

 private:
  friend class LengthBook;
  struct Shared {
    std::array<std::atomic<std::uint64_t>, codes> words;
    std::atomic<std::uint32_t> unsized;
    std::atomic<std::uint32_t> probes;
  };
  static_assert(at + static_cast<Bytes>(sizeof(Shared)) <= Arena::head);
  Shared* shared_;
};

/// The sender's side. Under its user's lock, but for settled().
class LengthBook {
 public:
  static constexpr int none = -1;  ///< Nobody probes: 128 bytes.
  static constexpr int unsized =
      -2;  ///< No length is free, and nobody has probed so far: 128 bytes, at which a probe must look.
  static constexpr int refused = -3;  ///< No length is free: to be sent otherwise. Not to be given back.

  explicit LengthBook(std::byte* memory) noexcept : lengths_(memory) {}

  /// For a message of so many bytes that is about to be announced.
  int take(Bytes total, int tag, Probed probed) noexcept;
  /// It has been received, or was not sent.
  void give(int code) noexcept;

  /// The program has sent such a length itself before, and nothing is to be done about it. From any thread.
  [[nodiscard]] bool settled(Bytes length) const noexcept {
    return (settled_.load(std::memory_order_acquire) >> Lengths::code_of(length) & 1) != 0;
  }
  /// It is about to, with this tag.
  void sends_plainly(Bytes length, int tag) noexcept;

 private:
  struct Code {
    Bytes total = 0;
    int tag = 0;
    int users = 0;
    bool plain = false;      ///< The program sends such a length itself.
    std::uint64_t last = 0;  ///< When it was last given back.
  };
  void publish(int code, bool unclear) noexcept;
  void settle(int code) noexcept { settled_.fetch_or(1U << code, std::memory_order_release); }

  Lengths lengths_;
  std::atomic<std::uint32_t> settled_{0};
  std::array<Code, Lengths::codes> code_{};
  std::uint64_t given_ = 0;
};

}  // namespace heddle::engine
