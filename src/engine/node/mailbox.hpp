// engine/node/mailbox.hpp: carries short messages in one direction between two ranks of a node. The
// sender packs them into its own memory, which the reader has mapped. Messages take two slots
// alternately (docs/mailbox.md; tests/model/mailbox.pml).
//
//   Mailbox mailbox = Mailbox::made(memory, slot);        // the sender's end
//   while (!mailbox.has_room()) ...;                      // the message before the last one has not been consumed
//   pack(block, mailbox.room());
//   if (!mailbox.publish(bytes, call)) ...                // retracted: its reader expects a message of the host's
//
//   Mailbox mailbox = Mailbox::of_peer(memory, slot);     // the reader's end
//   if (mailbox.find(call) == Mailbox::Found::here) {     // or mailbox.retract(call), if a message of the host's is expected
//     unpack(block, mailbox.packed(), mailbox.bytes());
//     mailbox.consume();
//   }
//
//   | closed, consumed, expects a message |  message 1, 3, 5 ...  |  message 2, 4, 6 ...  |
//     the reader's line                      a slot: number, bytes, key, packed block
//
// A key says what a message is for and grows from message to message: the number of a call, or of a
// start.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "engine/node/arena.hpp"

namespace heddle::engine {

/// One end of a mailbox, in the process of that end. A copy is the same end.
class Mailbox {
 public:
  using Key = std::int64_t;  ///< From 1 on.

  static constexpr Bytes line = 64;
  static constexpr Bytes header = 24;      ///< Of a slot.
  static constexpr Bytes unpackable = -1;  ///< A value of bytes(): the sender could not pack its block.

  /// Bytes of a slot for a block of so many bytes: whole lines.
  static constexpr Bytes slot_for(Bytes block) noexcept { return (header + block + line - 1) / line * line; }
  /// Bytes of a mailbox with such slots.
  static constexpr Bytes whole(Bytes slot) noexcept { return line + 2 * slot; }
  /// True: a mailbox can lie at this offset. Offset and slot come from the sender, and are not
  /// trusted.
  [[nodiscard]] static bool possible(Bytes offset, Bytes slot, Bytes memory_size) noexcept;

  /// No mailbox.
  Mailbox() = default;
  /// The sender's end. No other process may see it yet.
  static Mailbox made(std::byte* memory, Bytes slot) noexcept;
  /// The reader's end of a mailbox that is possible().
  static Mailbox of_peer(std::byte* memory, Bytes slot) noexcept { return {memory, slot}; }
  explicit operator bool() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }
  [[nodiscard]] Bytes slot() const noexcept { return slot_; }

  // For the sender.

  [[nodiscard]] bool has_room() const noexcept {
    return number_ < 2 || reader().consumed.load(std::memory_order_acquire) >= number_ - 1;
  }
  /// Room for the next message's block.
  [[nodiscard]] std::byte* room() const noexcept { return at(number_ + 1) + header; }
  /// False: the message has been taken back, because its reader expects a message of the host's in
  /// that call.
  bool publish(Bytes bytes, Key key) noexcept {
    Slot& slot = filled(bytes, key);
    slot.number.store(++number_);  // before the look at `expects`, in one order with the steps of retract()
    return reader().expects.load() != key || !withdrawn(slot);
  }
  /// publish() for persistent exchanges: the reader has a mailbox to us, and publishes in it at
  /// each of its starts before it looks into ours.
  void publish_in_turn(Bytes bytes, Key key) noexcept { filled(bytes, key).number.store(++number_, std::memory_order_release); }

  // For the reader.

  enum class Found : std::uint8_t { nothing, here, later };
  /// `later`: the message there belongs to a later call. Messages that nobody expected in earlier
  /// calls are consumed.
  Found find(Key key) noexcept { return is_there(number_ + 1) ? look(key) : Found::nothing; }
  /// For a call in which the reader expects a message of the host's. True: the block has been
  /// published here nevertheless, and no message will come. False: a message will come, because a
  /// sender that publishes later in this call takes its block back itself.
  bool retract(Key key) noexcept;
  /// Bytes of the message that was found or retracted. A number beyond the slot is damaged, and
  /// becomes larger than any reader expects.
  [[nodiscard]] Bytes bytes() const noexcept {
    const Bytes said = slot_of(number_).bytes.load(std::memory_order_relaxed);
    return said < 0 ? unpackable : said <= slot_ - header ? said : std::numeric_limits<Bytes>::max();
  }
  [[nodiscard]] const std::byte* packed() const noexcept { return at(number_) + header; }
  /// The message's slot is the sender's again.
  void consume() noexcept { reader().consumed.store(number_, std::memory_order_release); }
  /// This end does not look into the mailbox any more.
  void close() noexcept { reader().closed.store(1, std::memory_order_release); }

  /// True: the reader of the mailbox at `memory` has closed.
  static bool closed(std::byte* memory) noexcept {
    return reinterpret_cast<Reader*>(memory)->closed.load(std::memory_order_acquire) != 0;
  }

 private:
  struct Reader {
    std::atomic<std::uint64_t> closed, consumed;
    std::atomic<Key> expects;
  };
  struct Slot {
    std::atomic<std::uint64_t> number;  ///< 0: nothing, or retracted.
    std::atomic<Bytes> bytes;
    std::atomic<Key> key;
  };
  static_assert(sizeof(Reader) <= line && sizeof(Slot) == header && std::atomic<std::uint64_t>::is_always_lock_free);

  Mailbox(std::byte* memory, Bytes slot) noexcept : memory_(memory), slot_(slot) {}
  [[nodiscard]] Reader& reader() const noexcept { return *reinterpret_cast<Reader*>(memory_); }
  [[nodiscard]] std::byte* at(std::uint64_t number) const noexcept { return memory_ + line + (number % 2 ? 0 : slot_); }
  [[nodiscard]] Slot& slot_of(std::uint64_t number) const noexcept { return *reinterpret_cast<Slot*>(at(number)); }
  /// Fills the slot of the next message, except its number.
  Slot& filled(Bytes bytes, Key key) noexcept {
    Slot& slot = slot_of(number_ + 1);
    slot.bytes.store(bytes, std::memory_order_relaxed);
    slot.key.store(key, std::memory_order_relaxed);
    return slot;
  }
  /// True: message `number` is published. retract() needs this load in one order with its store.
  [[nodiscard]] bool is_there(std::uint64_t number) const noexcept { return slot_of(number).number.load() == number; }
  /// find(), if the slot holds a message.
  Found look(Key key) noexcept;
  /// True: the sender has taken back the message that it has just published. False: the reader has.
  bool withdrawn(Slot& slot) noexcept;

  std::byte* memory_ = nullptr;
  Bytes slot_ = 0;
  std::uint64_t number_ = 0;  // of the last message that this end has published, or found
};

}  // namespace heddle::engine
