// mpi/exchange/pair_mailboxes.hpp: short blocks of blocking collectives between ranks of a node, without messages of the
// host's: a mailbox for each ordered pair of them (engine/mailbox.hpp), whose keys are numbers of calls. Includes
// mailboxes.hpp, aggregates.hpp, types/element.hpp, select/collective/mailboxes.hpp.
//
//   mailboxes.next(own);                                                     // at every blocking exchange of the communicator
//   if (bytes <= mailboxes.longest_to(rank)) mailboxes.publish(block, ...);  // else a message
//   if (bytes <= mailboxes.longest_from(rank)) mailboxes.find(block, ...);   // again and again, until it has come
//
// Both ranks of a pair know a block's bytes, and so how it travels; where a program's mistake makes them differ, they still
// meet (docs/mailbox.md). Settled on by three of the first exchanges: one that comes once needs no mailboxes.
#pragma once

#include <vector>

#include "mpi/exchange/aggregates.hpp"
#include "mpi/exchange/mailboxes.hpp"
#include "mpi/types/element.hpp"
#include "select/collective/mailboxes.hpp"

namespace heddle::mpi {

class PairMailboxes {
 public:
  /// @param comm  Of the program, with the ranks of the shadow. Throws std::bad_alloc.
  PairMailboxes(MPI_Comm comm, int me, int ranks);

  /// On all ranks alike, before anything of the exchange. `own`: the shadow.
  void next(MPI_Comm own) noexcept {
    if (++call_ <= use_at && !ranks_.empty()) settle_further(own);
  }
  [[nodiscard]] bool any() const noexcept { return call_ >= use_at && !ranks_.empty(); }
  /// Bytes; 0: no mailbox to, or from, that rank.
  [[nodiscard]] Bytes longest_to(int rank) noexcept;
  [[nodiscard]] Bytes longest_from(int rank) noexcept;

  // `own`: the shadow communicator, where the host is kept going while there is no room. `error`: MPI's, of the block.
  /// False: retracted, a message is expected instead.
  bool publish(const Block& block, Element& element, MPI_Comm own, int& error) noexcept;
  using Found = engine::Mailbox::Found;
  /// `here`: the block is in place; `later`: it comes as a message.
  Found find(const Block& block, Element& element, MPI_Comm own, int& error) noexcept;
  /// Of a block that is too long for a mailbox: true if it is in place nevertheless, and no message will come.
  bool retract(const Block& block, Element& element, MPI_Comm own, int& error) noexcept;
  [[nodiscard]] bool crowded() const noexcept { return node_->crowded(); }

 private:
  static constexpr int say_at = 2, answer_at = 3, use_at = 4;  // exchanges

  void settle_further(MPI_Comm own) noexcept;
  /// Where a rank is among ranks_; as many as there are: of another node.
  [[nodiscard]] std::size_t place_of(int rank) const noexcept;
  static void consume(engine::Mailbox& from, const Block& block, Element& element, MPI_Comm own, int& error) noexcept;

  Node* node_ = nullptr;
  int me_;
  std::vector<int> ranks_;  // of the node, without this one
  Mailboxes mailboxes_;     // to and from each, in the same order
  std::int64_t call_ = 0;
};

}  // namespace heddle::mpi
