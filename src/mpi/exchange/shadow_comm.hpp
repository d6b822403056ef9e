// mpi/exchange/shadow_comm.hpp: a place beside a communicator of the program, for the messages of
// collectives that Heddle carries out itself. These messages never meet a receive of the program.
//
//   if (ShadowComm* own = ShadowComm::of(comm))        // null on all ranks of comm alike: call the host's collective
//     PMPI_Isend(..., own->tag(tags::schedule), own->comm());
//
// The first collective that asks for a shadow communicator makes it. Its ranks exchange one record.
// Then they take tags of a communicator that they share already, or make one (tag_space.hpp). A
// shadow communicator is a context of the program's communicator
// (mpi/communicators/communicator_registry.hpp) and ends with it, or with the last persistent
// request that outlives it.
//
// Ranks agree on things by collectives of the host. These go over the program's communicator,
// because all ranks call its collectives in one order. Collectives of several shadow communicators
// have no common order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/collective/algorithm_choice.hpp"
#include "engine/exchange/edges.hpp"
#include "engine/exchange/pair_mailboxes.hpp"
#include "engine/exchange/tags.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/exchange/mpi_carrier.hpp"
#include "mpi/exchange/tag_space.hpp"
#include "mpi/process/host.hpp"
#include "select/collective/hints.hpp"
#include "select/collective/sparse_choice.hpp"
#include "select/collective/topology.hpp"

namespace heddle::mpi {

namespace tags = engine::tags;
using engine::Edge;
using engine::TimedCall;
using engine::TrialKind;
using select::GivenHints;
using select::Record;

class Comparison;

/// The memory and the settings that mailboxes of this rank need of its node.
engine::MailRoom mail_room() noexcept;

class ShadowComm : public std::enable_shared_from_this<ShadowComm> {
 public:
  /// Collective over `comm` at the first call. Null where Heddle keeps out: inter-communicators,
  /// communicators of one rank, ranks from outside MPI_COMM_WORLD, HEDDLE_COLLECTIVES=native. Also
  /// null while `comm` is being freed, and if the host has no communicator left.
  static ShadowComm* of(MPI_Comm comm);
  /// A shadow communicator for sparse exchanges, which Heddle always carries out. It also exists
  /// for communicators that of() refuses, except inter-communicators. Null: no memory, or the host
  /// refuses.
  static ShadowComm* for_exchange(MPI_Comm comm);
  /// The result of of(), in calls that must not wait for other ranks. Also null if no call has made
  /// one yet.
  static ShadowComm* made(MPI_Comm comm) noexcept;
  /// True: of() may still make one, and send messages to other ranks for this.
  static bool may_come(MPI_Comm comm) noexcept;
  /// True: the communicator and its ranks permit a shadow communicator. All ranks find the same.
  static bool possible(MPI_Comm comm);
  /// For a duplicate that is being made: its ranks compare these hints when they make its shadow.
  /// Throws std::bad_alloc.
  static std::unique_ptr<communicators::Context> context_with(std::unique_ptr<const GivenHints> hints);
  /// All ranks of MPI_COMM_WORLD have agreed to it, in MPI_Init.
  static void allow() noexcept;
  /// Before MPI_Finalize. Frees those whose communicator the program has not freed.
  /// @param together  All ranks do so.
  static void close(bool together) noexcept;

  [[nodiscard]] MPI_Comm comm() const { return space_.comm(); }
  /// The tag on comm() for one of tags.hpp.
  [[nodiscard]] int tag(int own) const { return space_.tag(own); }
  /// The program's communicator. Use it only in a call of all ranks that returns before the program
  /// frees the communicator.
  [[nodiscard]] MPI_Comm programs() const { return programs_; }
  /// An error has left messages that nobody receives.
  void spoil() const noexcept { space_.spoil(); }
  [[nodiscard]] const Record& record() const { return record_; }
  [[nodiscard]] int me() const { return me_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// True: in() and out() have the neighbours, in the order of the blocks, and both ends of each
  /// edge know it. False: there is no such topology. Or it has a periodic Cartesian dimension of
  /// one or two: then this rank cannot tell the blocks of one neighbour apart as the host would.
  [[nodiscard]] bool has_neighbours() const { return has_neighbours_; }
  [[nodiscard]] const std::vector<Edge>& in() const { return in_; }
  [[nodiscard]] const std::vector<Edge>& out() const { return out_; }

  /// Collective at the first call, over programs(). Throws std::bad_alloc, but not while others
  /// wait.
  const select::Topology& topology();
  [[nodiscard]] bool knows_topology() const noexcept { return topology_.has_value(); }
  /// Collective at the first call, as topology() is.
  const select::SparseChoice& sparse_choice() {
    if (!sparse_choice_) sparse_choice_ = select::sparse_choice(record_, topology().where);
    return *sparse_choice_;
  }
  /// The tag of the next sparse exchange, whose messages come from any rank. Two successive
  /// exchanges have different tags: a quick rank may begin one before a slow rank has seen the end
  /// of the other.
  int consensus_tag() noexcept { return tag(tags::consensus + (exchanges_++ & 1)); }

  /// The algorithms of its blocking collectives.
  [[nodiscard]] engine::AlgorithmChoice& algorithms() noexcept { return *algorithms_; }
  [[nodiscard]] const engine::AlgorithmChoice& algorithms() const noexcept { return *algorithms_; }
  /// engine::AlgorithmChoice::library(). Collective at the first call, as topology() is.
  bool library(const TrialKind& kind, TimedCall& timed, engine::AlgorithmChoice::Next next) {
    return algorithms_->library(kind, timed, next, [this]() -> const select::Where& { return topology().where; });
  }
  /// The first tag of the next persistent collective. All ranks initialize persistent collectives
  /// in one order, and start them in any order (MPI-5.0 §6.13).
  int tags() noexcept;
  /// Counts the collectives that were checked (consistency_check.hpp).
  long count_call() noexcept { return calls_++; }
  /// Keeps a comparison of a non-blocking call that was left to the host, until it is over.
  void keep(std::unique_ptr<Comparison> comparison) noexcept;

  /// The mailboxes for the next blocking exchange.
  /// @param neighbours  All its blocks go to neighbours or come from them.
  [[nodiscard]] engine::PairMailboxes& next_mailboxes(bool neighbours) const noexcept {
    mailboxes_->next(*settling_, neighbours);
    return *mailboxes_;
  }

  ~ShadowComm();
  ShadowComm(const ShadowComm&) = delete;
  ShadowComm& operator=(const ShadowComm&) = delete;

 private:
  struct Seat;
  struct All;
  static All all;

  ShadowComm();
  static Seat* seat_of(MPI_Comm comm) noexcept;
  static Seat* seat_on(MPI_Comm comm) noexcept;
  static std::shared_ptr<ShadowComm> create(MPI_Comm comm, bool able, bool noted, bool collectives);
  static ShadowComm* make(MPI_Comm comm);
  void leave() noexcept;
  bool look_at_topology(MPI_Comm comm);
  void compare_topology(MPI_Comm comm) noexcept;
  void make_mailboxes(MPI_Comm comm);

  MPI_Comm programs_ = MPI_COMM_NULL;
  mutable TagSpace space_;
  int me_ = 0;
  int ranks_ = 0;
  bool has_neighbours_ = false;
  std::vector<Edge> in_, out_;
  Record record_;
  int node_ = -1;           // as Placement names it
  std::vector<int> nodes_;  // node of each rank, until topology_ is there: topology() cannot lack the memory
  std::optional<select::Topology> topology_;
  std::optional<select::SparseChoice> sparse_choice_;
  int exchanges_ = 0;
  Reductions reductions_{programs_};
  std::optional<engine::AlgorithmChoice> algorithms_;
  long calls_ = 0;
  int persistent_ = 0;
  std::vector<std::unique_ptr<Comparison>> comparisons_;
  std::unique_ptr<Channel> settling_;  // settles mailboxes_
  std::unique_ptr<engine::PairMailboxes> mailboxes_;
};

}  // namespace heddle::mpi
