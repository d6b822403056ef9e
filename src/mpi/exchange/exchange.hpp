// mpi/exchange/exchange.hpp: blocks from layout to layout, one message for each pair of ranks that has bytes to exchange: what
// MPI_Alltoallw and its relatives mean, without a message where there is nothing to say. Includes shadow_comm.hpp,
// types/arguments.hpp.
//
//   Exchange exchange(*own, outs, ins);
//   for (...) exchange.receive(peer, tag, buffer, bytes);       // in the order in which they are likely to come
//   for (...) exchange.send(peer, tag, buffer, bytes);
//   return exchange.run(comm);                                  // or start(...), and advance() until it says true
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
#include <vector>

#include "mpi/exchange/aggregates.hpp"
#include "mpi/network/memory.hpp"
#include "mpi/p2p/rendezvous.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/requests/pending.hpp"
#include "mpi/types/element.hpp"

namespace heddle::mpi {

class Exchange {
 public:
  /// At most so many blocks each way.
  Exchange(const ShadowComm& shadow, int sends, int receives) noexcept;
  /// False: no memory; nothing has been sent.
  explicit operator bool() const { return static_cast<bool>(blocks_) && requests_ && pendings_; }

  /// Blocks of no bytes, and of MPI_PROC_NULL, are left out.
  void send(const Edge& to, const Buffer& data, Bytes bytes) noexcept;
  void receive(const Edge& from, const Buffer& data, Bytes bytes) noexcept;

  /// Of a persistent one, whose starts ranks need not bring into one order: added to all tags (ShadowComm::tags).
  void tags_from(int first) noexcept { tags_ = first; }
  [[nodiscard]] int tag(const Edge& edge) const noexcept { return tags_ + edge.tag; }

  /// What is sent lies where the answers come to lie: each start packs it aside first (in_place.cpp). When all blocks are
  /// there. False: no memory.
  bool send_from_aside() noexcept;

  /// Of a persistent one: what blocks to other nodes have registered stays so from start to start.
  void keep_memory() noexcept { keeps_memory_ = true; }

  /// Returns the MPI error code, raised on `comm` already. @param neighbours  All blocks are to and from neighbours.
  int run(MPI_Comm comm, bool neighbours = false);

  /// Steps 1 to 3. May be called again when the last one is over.
  void start(Ends ends) noexcept;
  /// Steps 4 and 5, as far as they go now, or to the end. True: over.
  bool advance(bool wait) noexcept;
  /// The first that went wrong; not raised.
  [[nodiscard]] int error() const { return error_; }
  template <class Each>
  void for_each_send(Each each) {
    for (int i = 0; i < sends_; ++i) each(std::as_const(blocks_[i]));
  }
  template <class Each>
  void for_each_receive(Each each) {
    for (int i = 0; i < receives_; ++i) each(std::as_const(blocks_[most_sends_ + i]));
  }
  /// Leaves blocks for which `takes` says so to the caller; asked in order. Before start().
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
  /// Has `each` look at every datatype of a block, and change it.
  template <class Each>
  void for_each_type(Each each) {
    for (int i = 0; i < sends_; ++i) each(blocks_[i].data.type);
    for (int i = 0; i < receives_; ++i) each(blocks_[most_sends_ + i].data.type);
  }

 private:
  template <class Takes>
  void take(int first, int& count, Takes& takes) {
    int kept = 0;
    for (int i = 0; i < count; ++i)
      if (!takes(std::as_const(blocks_[first + i]))) blocks_[first + kept++] = blocks_[first + i];
    count = kept;
  }
  /// Requests of one direction: those that Heddle must finish from the front, the host's own from the back.
  struct Requests {
    int first = 0, end = 0;
    int tracked = 0, native = 0;
    int tracked_over = 0, native_over = 0;
  };

  bool arrange() noexcept;
  [[nodiscard]] bool overflows() noexcept;
  [[nodiscard]] bool left_to_host(const Block& block, Route route) const noexcept;
  void pack_aside() noexcept;
  KeptMemory memory_of(const Block& block) noexcept;
  void post_receive(const Block& block) noexcept;
  void post_send(const Block& block, Ends ends) noexcept;
  void post_sends(bool small, Ends ends) noexcept;
  void post_aggregate(const Block& first) noexcept;
  void find_own() noexcept;
  void move_own() noexcept;
  void choose_mailboxes() noexcept;
  bool publish(const Block& block) noexcept;
  void consume_published() noexcept;
  void look_for_message(int turn) noexcept;
  bool finish_mailboxes(bool wait) noexcept;
  bool finish_receives(bool wait) noexcept;
  bool finish_sends(bool wait) noexcept;
  bool finish_native(Requests& side, bool wait) noexcept;
  void finish(int request, MPI_Status& status, int error) noexcept;
  void add(Requests& to, MPI_Request request, Pending* pending) noexcept;
  void advance_pending(int request, bool wait) noexcept {
    if (pendings_[request]->advances()) pendings_[request]->advance(wait);
  }
  void note(int error) noexcept {
    if (error_ == MPI_SUCCESS) error_ = error;
  }

  const ShadowComm& shadow_;
  int most_sends_, most_receives_;
  int tags_ = 0;
  int sends_ = 0, receives_ = 0;
  bool repeated_ = false;  // a rank is a neighbour several times
  bool arranged_ = false;
  bool straight_ = false;  // long blocks are the host's, where it packs as well
  int error_ = MPI_SUCCESS;
  PairMailboxes* mailboxes_ = nullptr;  // of a blocking call
  int unpublished_ = 0;                 // blocks that are to come by them
  Element element_;                     // of the last one
  Requests out_, in_;
  bool crosses_ = false;  ///< A receive may bring a message of another node's, for which the host alone does nothing.
  requests::Scratch<Block> blocks_;  // sends, then receives
  requests::Scratch<MPI_Request> requests_;
  requests::Scratch<Pending*> pendings_;
  threads::StagingBuffer aggregates_;
  threads::StagingBuffer aside_;
  Buffer* packed_from_ = nullptr;  ///< Of each send, in aside_.
  bool keeps_memory_ = false;
  std::vector<KeptMemory> memory_;  ///< Of each block, when it has been needed.
};

/// Others carry on: a rank without memory must not leave the collective to the host alone. Returns the code, raised.
inline int no_memory_on(MPI_Comm comm) {
  communicators::raise(comm, MPI_ERR_NO_MEM);
  return MPI_ERR_NO_MEM;
}

// The blocking calls; the others are in started.hpp. `call`: as alike.hpp names it. `timed`: of the whole call. Nothing: not
// for Heddle, on all ranks alike.
Done exchange_all(const char* call, const Buffer& send, const Buffer& receive, MPI_Comm comm, TimedCall& timed);
Done exchange_all(const char* call, const VArgument& send, const VArgument& receive, MPI_Comm comm, TimedCall& timed);
Done exchange_all(const char* call, const WArgument& send, const WArgument& receive, MPI_Comm comm, TimedCall& timed);

}  // namespace heddle::mpi
