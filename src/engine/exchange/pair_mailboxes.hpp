// engine/exchange/pair_mailboxes.hpp: short blocks of blocking collectives between ranks of a node,
// without messages of the host's: a mailbox for each ordered pair of them (mailbox.hpp), whose keys
// are numbers of calls.
//
//   mailboxes.next(channel, neighbours);                                     // at every blocking exchange of the communicator
//   if (bytes <= mailboxes.longest_to(rank)) mailboxes.publish(block, ...);  // else a message
//   if (bytes <= mailboxes.longest_from(rank)) mailboxes.find(block, ...);   // again and again, until it has come
//
// Both ranks of a pair know a block's bytes, and so how it travels; where a program's mistake makes them differ, they still
// meet (docs/mailbox.md). Settled on by three of the first exchanges: one that comes once needs no mailboxes.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/exchange/edges.hpp"
#include "engine/exchange/mailboxes.hpp"

namespace heddle::engine {

/// A rank of the node, and where its node memory begins; null: there will be no mailbox between the two.
struct NodePeer {
  Rank rank;
  std::byte* memory;
};

class PairMailboxes {
 public:
  /// The ranks of the node, without this one, in order; of them those that this one sends to, and receives from, as neighbours.
  struct Peers {
    std::vector<NodePeer> all, to, from;
    /// Of all of them, whose neighbours `out` and `in` are. Throws std::bad_alloc.
    void choose_neighbours(std::span<const Edge> out, std::span<const Edge> in);
  };
  /// Takes all memory that it will need: later on others wait. Throws std::bad_alloc.
  PairMailboxes(const MailRoom& room, Rank me, Peers peers) : room_(room), me_(me), peers_(std::move(peers)) {
    mailboxes_.reserve(peers_.all.size());
  }

  /// On all ranks alike, before anything of the exchange. If the one that offers them is of neighbours, so are the mailboxes:
  /// there are fewer then, and longer ones.
  void next(Channel& channel, bool neighbours) noexcept {
    if (++call_ <= use_at && !peers_.all.empty()) settle_further(channel, neighbours);
  }
  [[nodiscard]] bool any() const noexcept { return call_ >= use_at && !peers_.all.empty(); }
  /// Bytes of a block, or of an aggregate; 0: no mailbox to, or from, that rank.
  [[nodiscard]] Bytes longest_to(Rank rank) noexcept;
  [[nodiscard]] Bytes longest_from(Rank rank) noexcept;

  // `block`: or the aggregate that it begins. `carrier` progresses while there is no room. `error`: of the block.
  /// False: retracted, a message is expected instead.
  bool publish(const Block& block, Carrier& carrier, int& error) noexcept;
  using Found = Mailbox::Found;
  /// `here`: the block is in place; `later`: it comes as a message.
  Found find(const Block& block, Carrier& carrier, int& error) noexcept;
  /// Of a block that is too long for a mailbox: true if it is in place nevertheless, and no message will come.
  bool retract(const Block& block, Carrier& carrier, int& error) noexcept;
  [[nodiscard]] bool crowded() const noexcept { return room_.crowded; }

 private:
  static constexpr int say_at = 2, answer_at = 3, use_at = 4;  // exchanges

  void settle_further(Channel& channel, bool neighbours) noexcept;
  void offer() noexcept;
  /// Where a rank is among them; as many as there are: it is none of them.
  [[nodiscard]] std::size_t place_of(Rank rank, const std::vector<NodePeer>& peers) const noexcept;
  [[nodiscard]] const std::vector<NodePeer>& to() const noexcept { return neighbours_ ? peers_.to : peers_.all; }
  [[nodiscard]] const std::vector<NodePeer>& from() const noexcept { return neighbours_ ? peers_.from : peers_.all; }
  static void consume(Mailbox& from, const Block& block, Carrier& carrier, int& error) noexcept;

  MailRoom room_;
  Rank me_;
  Peers peers_;
  bool neighbours_ = false;
  Mailboxes mailboxes_;  // of to() and from(), in the same order
  std::int64_t call_ = 0;
};

}  // namespace heddle::engine
