// engine/exchange/exchange.hpp: exchanges blocks between ranks, as MPI_Alltoallw and its relatives
// do. Each pair of ranks with bytes to exchange has one message. A pair without bytes has none.
//
//   Exchange exchange(carrier, me, sends, receives);
//   for (...) exchange.receive(rank, tag, bytes);               // in the order in which they are likely to come
//   for (...) exchange.send(rank, tag, bytes);
//   exchange.start(in_call);
//   while (!exchange.advance(false)) ...;                       // or advance(true)
//
//   1. all receives are posted            so a send waits for nothing but its receiver's presence in the call
//   2. sends: the short ones first        (Balaji et al. 2007, §4.2: three bins): packing a long block delays no short one.
//                                         Messages announced within the node are left open to their receivers
//   3. this rank's own blocks             in one pass, while the other blocks are under choice
//   4. arrived blocks are put in place    in the order of arrival; receivers fetch rendezvous
//   5. messages that no receiver has fetched yet are packed aside: a late receiver delays no rank
//
// Both ranks of a pair know the bytes of its signature, and decide by them. A late rank delays only
// ranks that exchange bytes with it. Small blocks to a rank that is a neighbour several times
// travel together (aggregates.hpp). Short blocks of blocking calls between ranks of a node go by
// mailboxes instead of messages (pair_mailboxes.hpp).
#pragma once

#include <utility>

#include "engine/exchange/aggregates.hpp"
#include "engine/exchange/carrier.hpp"
#include "engine/exchange/pair_mailboxes.hpp"
#include "threads/staging_pool.hpp"

namespace heddle::engine {

class Exchange {
 public:
  /// At most so many blocks each way. Tickets are 0 ... sends + receives - 1.
  Exchange(Carrier& carrier, Rank me, int sends, int receives) noexcept
      : carrier_(carrier),
        me_(me),
        most_sends_(sends),
        in_{.first = 0, .end = receives},
        out_{.first = receives, .end = receives + sends} {
    const Bytes blocks = static_cast<Bytes>(sizeof(Block)) * (sends + receives);
    if (!memory_.reserve(blocks + static_cast<Bytes>(sizeof(Open)) * receives)) return;
    blocks_ = reinterpret_cast<Block*>(memory_.data());
    open_ = reinterpret_cast<Open*>(memory_.data() + blocks);
  }
  /// False: no memory; nothing has been sent.
  explicit operator bool() const { return blocks_ != nullptr; }
  [[nodiscard]] Rank me() const noexcept { return me_; }

  /// Adds a block of at least one byte. Returns its number: sends count from 0 on, receives from
  /// `sends` on.
  int send(Rank to, int tag, Bytes bytes) noexcept { return add(sends_++, to, tag, bytes); }
  int receive(Rank from, int tag, Bytes bytes) noexcept { return add(most_sends_ + receives_++, from, tag, bytes); }

  /// For a blocking call: short blocks go by these mailboxes.
  void use(PairMailboxes& mailboxes) noexcept { mailboxes_ = &mailboxes; }

  /// Decides which blocks go alone, go together, or stay in this rank. Called once, before the
  /// first start(). False: no memory.
  bool arrange() noexcept;
  /// Steps 1 to 3. May be called again when the last exchange is over.
  /// @param in_call  All ranks stay in the call until the exchange is over.
  void start(bool in_call) noexcept;
  /// Steps 4 and 5, as far as they go now, or to the end (`wait`). True: the exchange is over.
  bool advance(bool wait) noexcept;
  /// The first error.
  [[nodiscard]] int error() const { return error_; }

  template <class Each>
  void for_each_send(Each each) {
    for (int i = 0; i < sends_; ++i) each(std::as_const(blocks_[i]));
  }
  template <class Each>
  void for_each_receive(Each each) {
    for (int i = 0; i < receives_; ++i) each(std::as_const(blocks_[most_sends_ + i]));
  }
  /// Leaves the blocks for which `takes` returns true to the caller. It is asked in order. Only
  /// before arrange().
  template <class Takes>
  void take_sends(Takes takes) {
    take(0, sends_, takes);
  }
  template <class Takes>
  void take_receives(Takes takes) {
    take(most_sends_, receives_, takes);
  }
  /// True: a rank is a neighbour several times. Then short blocks to it travel together
  /// (aggregates.hpp).
  [[nodiscard]] bool repeats() const noexcept { return repeated_; }

 private:
  using Ticket = Carrier::Ticket;
  using Role = Block::Role;

  /// The tickets of one direction. Followed messages take them from the front, plain ones from the
  /// back.
  struct Tickets {
    int first, end;
    int followed = 0, plain = 0;
    int followed_over = 0, plain_over = 0;
    [[nodiscard]] Carrier::Tickets next() const noexcept { return {first + followed, plain_ticket(plain)}; }
    [[nodiscard]] Ticket plain_ticket(int i) const noexcept { return end - 1 - i; }
  };
  /// A followed receive.
  struct Open {
    Ticket ticket;
    const Block* aggregate;  ///< Unpacked after completion. Null: the bytes are in place then.
  };

  int add(int number, Rank rank, int tag, Bytes bytes) noexcept {
    blocks_[number] = {.rank = rank, .tag = tag, .bytes = bytes, .number = number};
    repeated_ |= tag > 0;
    return number;
  }
  template <class Takes>
  void take(int first, int& count, Takes& takes) {
    int kept = 0;
    for (int i = 0; i < count; ++i)
      if (!takes(std::as_const(blocks_[first + i]))) blocks_[first + kept++] = blocks_[first + i];
    count = kept;
  }
  bool make_aggregates() noexcept;
  void post_receive(const Block& block) noexcept;
  void post_sends(bool small, bool in_call) noexcept;
  void find_own() noexcept;
  void move_own() noexcept;
  void choose_mailboxes() noexcept;
  void consume_published() noexcept;
  void look_for_message(int turn) noexcept;
  bool finish_mailboxes(bool wait) noexcept;
  void finish(const Open& receive, int error) noexcept;
  bool sweep() noexcept;
  bool finish_receives(bool wait) noexcept;
  bool finish_sends(bool wait) noexcept;
  bool finish_plain(Tickets& side, bool wait) noexcept;
  void note(int error) noexcept {
    if (error_ == 0) error_ = error;
  }

  Carrier& carrier_;
  Rank me_;
  int most_sends_;
  int sends_ = 0, receives_ = 0;
  bool repeated_ = false;  // a rank is a neighbour several times
  bool arranged_ = false;
  bool driven_ = false;  // a receive is driven
  int error_ = 0;
  PairMailboxes* mailboxes_ = nullptr;  // of a blocking call
  int unpublished_ = 0;                 // blocks still to come by mailbox
  Tickets in_, out_;
  int opened_ = 0;                 // receives of open_ that are not over
  Block* blocks_ = nullptr;        // sends, then receives
  Open* open_ = nullptr;           // followed receives, as they were posted
  threads::StagingBuffer memory_;  // holds both
  threads::StagingBuffer aggregates_;
};

}  // namespace heddle::engine
