// engine/exchange/pair_mailboxes.hpp: carries short blocks of blocking collectives between ranks of
// a node by mailboxes instead of messages of the host's. Each ordered pair of ranks has a mailbox
// (engine/node/mailbox.hpp). Its keys are the numbers of calls.
//
//   mailboxes.next(channel, neighbours);                                     // at every blocking exchange of the communicator
//   if (bytes <= mailboxes.longest_to(rank)) mailboxes.publish(block, ...);  // else a message
//   if (bytes <= mailboxes.longest_from(rank)) mailboxes.find(block, ...);   // again and again, until it has come
//
// Both ranks of a pair know a block's bytes, and so how it travels. If a program's mistake makes
// the bytes differ, the ranks still meet (docs/mailbox.md). The second, third and fourth exchange
// of a communicator settle the mailboxes, because a single exchange needs none.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "engine/exchange/edges.hpp"
#include "engine/exchange/mailbox_setup.hpp"

namespace heddle::engine {

/// A rank of the node, and the start of its node memory. Null: there will be no mailbox between the
/// two.
struct NodePeer {
  Rank rank;
  std::byte* memory;
};

class PairMailboxes {
 public:
  /// The other ranks of the node, in order. `to` and `from` have the neighbours that this rank
  /// sends to and receives from.
  struct Peers {
    std::vector<NodePeer> all, to, from;
    /// Sets `to` and `from` from the edges of this rank. Throws std::bad_alloc.
    void choose_neighbours(std::span<const Edge> out, std::span<const Edge> in);
  };
  /// Takes all memory that it will need, because later other ranks wait for it. Throws
  /// std::bad_alloc.
  PairMailboxes(const MailRoom& room, Rank me, Peers peers) : room_(room), me_(me), peers_(std::move(peers)) {
    mailboxes_.reserve(peers_.all.size());
  }

  /// All ranks call this before each exchange. If the exchange that offers the mailboxes is between
  /// neighbours, only neighbours have mailboxes. These are fewer and longer.
  void next(Channel& channel, bool neighbours) noexcept {
    if (++call_ <= use_at && !peers_.all.empty()) settle_further(channel, neighbours);
  }
  [[nodiscard]] bool any() const noexcept { return call_ >= use_at && !peers_.all.empty(); }
  /// The most bytes of a block or an aggregate for the mailbox to that rank, or from it. 0: there
  /// is none.
  [[nodiscard]] Bytes longest_to(Rank rank) noexcept;
  [[nodiscard]] Bytes longest_from(Rank rank) noexcept;

  // `block` stands for the aggregate if it begins one. `carrier` makes progress while there is no
  // room. `error` is the block's.
  /// False: the block has been retracted. Its reader expects a message instead.
  bool publish(const Block& block, Carrier& carrier, int& error) noexcept;
  using Found = Mailbox::Found;
  /// `here`: the block is in place; `later`: it comes as a message.
  Found find(const Block& block, Carrier& carrier, int& error) noexcept;
  /// For a block that is too long for a mailbox. True: it is in place nevertheless, and no message
  /// will come.
  bool retract(const Block& block, Carrier& carrier, int& error) noexcept;
  [[nodiscard]] bool crowded() const noexcept { return room_.crowded; }

 private:
  static constexpr int say_at = 2, answer_at = 3, use_at = 4;  // numbers of exchanges

  void settle_further(Channel& channel, bool neighbours) noexcept;
  void offer() noexcept;
  /// The index of a rank in `peers`, or their number if it is not there.
  [[nodiscard]] std::size_t place_of(Rank rank, const std::vector<NodePeer>& peers) const noexcept;
  [[nodiscard]] const std::vector<NodePeer>& to() const noexcept { return neighbours_ ? peers_.to : peers_.all; }
  [[nodiscard]] const std::vector<NodePeer>& from() const noexcept { return neighbours_ ? peers_.from : peers_.all; }
  static void consume(Mailbox& from, const Block& block, Carrier& carrier, int& error) noexcept;

  MailRoom room_;
  Rank me_;
  Peers peers_;
  bool neighbours_ = false;
  Mailboxes mailboxes_;  // in the order of to() and from()
  std::int64_t call_ = 0;
};

}  // namespace heddle::engine
