// engine/exchange/exchange.hpp: blocks between ranks, one message for each pair of ranks that has
// bytes to exchange: what MPI_Alltoallw and its relatives mean, without a message where there is
// nothing to say.
//
//   Exchange exchange(carrier, me, sends, receives);
//   for (...) exchange.receive(rank, tag, bytes);               // in the order in which they are likely to come
//   for (...) exchange.send(rank, tag, bytes);
//   exchange.start(in_call);
//   while (!exchange.advance(false)) ...;                       // or advance(true)
//
//   1. all receives are posted            nobody's send ever waits for anything but its receiver's being in the call
//   2. sends: the short ones first        (seed 000 §4.2: three bins; a long one's packing delays nobody who waits for little);
//                                         those announced within the node are left open to their receivers
//   3. this rank's own blocks             one pass, while the others' are under way
//   4. what has come is put in place      in the order of arrival; rendezvous are fetched by their receiver
//   5. what nobody has fetched yet is packed aside: a late receiver delays nobody
//
// Both ranks of a pair decide by the bytes of its signature, which both know. No rank waits for one that it exchanges nothing
// with. Small blocks to a rank that is a neighbour several times travel together (aggregates.hpp); in blocking calls, what goes
// to ranks of the same node does not travel as a message if it is short (pair_mailboxes.hpp).
#pragma once

#include <utility>

#include "engine/exchange/aggregates.hpp"
#include "engine/exchange/carrier.hpp"
#include "engine/exchange/pair_mailboxes.hpp"
#include "threads/pool.hpp"

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

  /// A block of at least one byte. Returns its number: of sends from 0 on, of receives from `sends` on.
  int send(Rank to, int tag, Bytes bytes) noexcept { return add(sends_++, to, tag, bytes); }
  int receive(Rank from, int tag, Bytes bytes) noexcept { return add(most_sends_ + receives_++, from, tag, bytes); }

  /// Of a blocking call: short blocks go by them.
  void use(PairMailboxes& mailboxes) noexcept { mailboxes_ = &mailboxes; }

  /// Once, before the first start(): what goes alone, together, or stays. False: no memory.
  bool arrange() noexcept;
  /// Steps 1 to 3. May be called again when the last one is over. @param in_call  All ranks stay in it until it is over.
  void start(bool in_call) noexcept;
  /// Steps 4 and 5, as far as they go now, or to the end. True: over.
  bool advance(bool wait) noexcept;
  /// The first that went wrong.
  [[nodiscard]] int error() const { return error_; }

  template <class Each>
  void for_each_send(Each each) {
    for (int i = 0; i < sends_; ++i) each(std::as_const(blocks_[i]));
  }
  template <class Each>
  void for_each_receive(Each each) {
    for (int i = 0; i < receives_; ++i) each(std::as_const(blocks_[most_sends_ + i]));
  }
  /// Leaves blocks for which `takes` says so to the caller; asked in order. Before arrange().
  template <class Takes>
  void take_sends(Takes takes) {
    take(0, sends_, takes);
  }
  template <class Takes>
  void take_receives(Takes takes) {
    take(most_sends_, receives_, takes);
  }
  /// Whether a rank is a neighbour several times: then short blocks to it travel together (aggregates.hpp).
  [[nodiscard]] bool repeats() const noexcept { return repeated_; }

 private:
  using Ticket = Carrier::Ticket;
  using Role = Block::Role;

  /// Messages of one direction: those that are followed from the front, the others from the back.
  struct Tickets {
    int first, end;
    int followed = 0, plain = 0;
    int followed_over = 0, plain_over = 0;
    [[nodiscard]] Carrier::Tickets next() const noexcept { return {first + followed, plain_ticket(plain)}; }
    [[nodiscard]] Ticket plain_ticket(int i) const noexcept { return end - 1 - i; }
  };
  /// A receive that is followed.
  struct Open {
    Ticket ticket;
    const Block* aggregate;  ///< To be unpacked; null: what it brings is in place.
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
  bool driven_ = false;  // a receive is
  int error_ = 0;
  PairMailboxes* mailboxes_ = nullptr;  // of a blocking call
  int unpublished_ = 0;                 // blocks that are to come by them
  Tickets in_, out_;
  int opened_ = 0;                 // receives of open_ that are not over
  Block* blocks_ = nullptr;        // sends, then receives
  Open* open_ = nullptr;           // in the order in which they were posted
  threads::StagingBuffer memory_;  // of both
  threads::StagingBuffer aggregates_;
};

}  // namespace heddle::engine
