// engine/exchange/carrier.hpp: carries the messages of an exchange, and knows where its blocks lie.
// Derived classes work over MPI in mpi/exchange, over memory in tests.
//
//   int error = 0;
//   const Carrier::Begun begun = carrier.receive(block, {.followed = 0, .plain = 7}, error);   // takes one of the tickets
//   while (!carrier.over(ticket, false, error)) ...;
//
// Errors are the carrier's codes; 0: none.
#pragma once

#include "engine/exchange/block.hpp"

namespace heddle::engine {

class Carrier {
 public:
  virtual ~Carrier() = default;

  /// A message under way. The exchange numbers them.
  using Ticket = int;
  static constexpr Ticket none = -1;
  /// The ticket that a message takes, by the result of send() or receive().
  struct Tickets {
    Ticket followed, plain;
  };
  enum class Begun : std::uint8_t {
    failed,
    plain,     ///< Nothing is left to do after its completion.
    followed,  ///< Its completion leaves work here: the earlier it is asked for, the better.
    driven     ///< Followed, and it gets on only while drive() is called.
  };

  /// Called before the first message of a start.
  /// @param in_call  All ranks stay in their calls until the exchange is over.
  virtual int begin(bool /*in_call*/) noexcept { return 0; }

  // Messages, matched by rank and tag, in order.

  virtual Begun receive(const Block& block, Tickets tickets, int& error) noexcept = 0;
  virtual Begun send(const Block& block, Tickets tickets, int& error) noexcept = 0;
  /// Plain messages of bytes instead of a block, between its ranks, with its tag. The bytes stay
  /// where they are until the message is over.
  virtual int receive_bytes(const Block& block, std::byte* to, Bytes bytes, Ticket ticket) noexcept = 0;
  virtual int send_bytes(const Block& block, const std::byte* from, Bytes bytes, Ticket ticket) noexcept = 0;

  /// True: the message is complete, and its bytes are in place. It stays true if asked again.
  /// `wait`: returns only then.
  virtual bool over(Ticket ticket, bool wait, int& error) noexcept = 0;
  /// Waits for one of `count` tickets from `first` on, and completes it. none: nothing is under
  /// way.
  virtual Ticket wait_any(Ticket first, int count, int& error) noexcept = 0;
  /// True: a message has come for a block that this rank receives.
  virtual bool probe(const Block& block) noexcept = 0;
  /// Moves on all messages that need this rank, because others may wait for them.
  virtual void progress() noexcept = 0;
  virtual void drive() noexcept {}
  /// True: more ranks than cores. Asked before a wait for driven messages.
  [[nodiscard]] virtual bool crowded() const noexcept { return false; }

  // Blocks, in the program's memory.

  virtual int pack(const Block& block, std::byte* to) noexcept = 0;
  /// Finds the place where the block's packed bytes lie in memory already; null: nowhere.
  virtual int find_packed(const Block& /*block*/, const std::byte*& at) noexcept { return at = nullptr, 0; }
  /// Unpacks so many bytes of the block, block.bytes at most.
  virtual int unpack(const Block& block, const std::byte* from, Bytes bytes) noexcept = 0;
  /// True: move() can move one block to the other. Both are this rank's.
  virtual bool moves(const Block& from, const Block& to) noexcept = 0;
  virtual void move(const Block& from, const Block& to) noexcept = 0;
  /// Start of the node memory of the block's other rank. Null: that rank is on another node, or
  /// this rank cannot pack the block. From here on this rank can pack the block, even if the
  /// program frees its datatype. Throws std::bad_alloc.
  virtual std::byte* hold(const Block& /*block*/) { return nullptr; }

  /// Errors that the exchange itself finds.
  enum class Failure : std::uint8_t { truncated, unpackable, no_memory };
  [[nodiscard]] virtual int error_of(Failure failure) const noexcept = 0;
};

}  // namespace heddle::engine
