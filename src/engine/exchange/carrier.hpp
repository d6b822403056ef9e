// engine/exchange/carrier.hpp: what an exchange knows of the world: messages of blocks and of
// bytes, and where blocks lie. Handed in: MPI in mpi/exchange, memory in tests.
//
//   int error = 0;
//   const Carrier::Begun begun = carrier.receive(block, {.followed = 0, .plain = 7}, error);   // takes one of the tickets
//   while (!carrier.over(ticket, false, error)) ...;
//
// Errors are as it counts them; 0: none.
#pragma once

#include "engine/exchange/block.hpp"

namespace heddle::engine {

class Carrier {
 public:
  virtual ~Carrier() = default;

  /// A message under way. The exchange numbers them.
  using Ticket = int;
  static constexpr Ticket none = -1;
  /// What it is, by what becomes of it.
  struct Tickets {
    Ticket followed, plain;
  };
  enum class Begun : std::uint8_t {
    failed,
    plain,     ///< Its completion is all.
    followed,  ///< Its completion leaves something to do here: the earlier it is asked for, the better.
    driven     ///< Likewise, and it gets on only while drive() is called.
  };

  /// Before the first message of a start. @param in_call  All ranks stay in their calls until it is over.
  virtual int begin(bool /*in_call*/) noexcept { return 0; }

  // Messages, matched by rank and tag, in order.

  virtual Begun receive(const Block& block, Tickets tickets, int& error) noexcept = 0;
  virtual Begun send(const Block& block, Tickets tickets, int& error) noexcept = 0;
  /// Bytes in the place of a block, between its ranks, with its tag: plain ones. They stay where they are until it is over.
  virtual int receive_bytes(const Block& block, std::byte* to, Bytes bytes, Ticket ticket) noexcept = 0;
  virtual int send_bytes(const Block& block, const std::byte* from, Bytes bytes, Ticket ticket) noexcept = 0;

  /// Whether it is complete, and what it has brought in place. Asked once more afterwards: it is. `wait`: returns when it is.
  virtual bool over(Ticket ticket, bool wait, int& error) noexcept = 0;
  /// Waits for one of a row of tickets, and is over with it. None: nothing is under way.
  virtual Ticket wait_any(Ticket first, int count, int& error) noexcept = 0;
  /// Whether a message has come in the place of a block that is received.
  virtual bool probe(const Block& block) noexcept = 0;
  /// Lets all messages get on that need this rank: others may wait for them.
  virtual void progress() noexcept = 0;
  virtual void drive() noexcept {}
  /// More ranks than cores: where one waits for what is driven.
  [[nodiscard]] virtual bool crowded() const noexcept { return false; }

  // Blocks, in the program's memory.

  virtual int pack(const Block& block, std::byte* to) noexcept = 0;
  /// Where its packed bytes lie in memory already; null: nowhere.
  virtual int find_packed(const Block& /*block*/, const std::byte*& at) noexcept { return at = nullptr, 0; }
  /// So many bytes of it; block.bytes at most.
  virtual int unpack(const Block& block, const std::byte* from, Bytes bytes) noexcept = 0;
  /// Whether one can be moved to the other, both of this rank.
  virtual bool moves(const Block& from, const Block& to) noexcept = 0;
  virtual void move(const Block& from, const Block& to) noexcept = 0;
  /// Where the node memory of its other rank begins; null: on another node, or it cannot be packed by this one. From here on
  /// the block can be, whatever becomes of its datatype. Throws std::bad_alloc.
  virtual std::byte* hold(const Block& /*block*/) { return nullptr; }

  /// What goes wrong here.
  enum class Mistake : std::uint8_t { truncated, unpackable, no_memory };
  [[nodiscard]] virtual int error_of(Mistake mistake) const noexcept = 0;
};

}  // namespace heddle::engine
