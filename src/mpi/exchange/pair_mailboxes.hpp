// mpi/exchange/pair_mailboxes.hpp: short blocks of blocking collectives between ranks of a node, without messages of the
// host's: a mailbox for each ordered pair of them (engine/mailbox.hpp), whose keys are numbers of calls. Includes
// mailboxes.hpp, aggregates.hpp, types/element.hpp, select/collective/mailboxes.hpp.
//
//   mailboxes.next(own, neighbours);                                         // at every blocking exchange of the communicator
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

  /// On all ranks alike, before anything of the exchange. If the one that offers them is of neighbours, so are the mailboxes:
  /// there are fewer then, and longer ones.
  void next(const ShadowComm& own, bool neighbours) noexcept {
    if (++call_ <= use_at && !here_.empty()) settle_further(own, neighbours);
  }
  [[nodiscard]] bool any() const noexcept { return call_ >= use_at && !here_.empty(); }
  /// Bytes of a block, or of an aggregate; 0: no mailbox to, or from, that rank.
  [[nodiscard]] Bytes longest_to(int rank) noexcept;
  [[nodiscard]] Bytes longest_from(int rank) noexcept;

  // `block`: or the aggregate that it begins. `own`: the shadow communicator, where the host is kept going while there is no
  // room. `error`: MPI's, of the block.
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

  void settle_further(const ShadowComm& own, bool neighbours) noexcept;
  void offer(const ShadowComm& own, bool neighbours) noexcept;
  /// Where a rank is among them; as many as there are: it is none of them.
  [[nodiscard]] std::size_t place_of(int rank, const std::vector<int>& ranks) const noexcept;
  static void consume(engine::Mailbox& from, const Block& block, Element& element, MPI_Comm own, int& error) noexcept;

  Node* node_ = nullptr;
  int me_;
  std::vector<int> here_;       // of the node, without this one
  std::vector<int> to_, from_;  // those of them that mailboxes are offered to, and awaited from
  Mailboxes mailboxes_;         // in the same order
  std::int64_t call_ = 0;
};

}  // namespace heddle::mpi
