// mpi/node/agreement.hpp: what all ranks of a job agree on in MPI_Init: all run Heddle, or none does anything that needs the
// others; which of them share a node; and what a message of the host takes, by which collectives choose. Includes
// engine/said.hpp, select/collective/links.hpp, settings.hpp, process/host.hpp, transport/common_file.hpp.
//
//   Agreed all = agree(wish_node | wish_report, set);    // every rank, whatever it wishes
//   if (all.wishes & wish_node) ...
#pragma once

#include <atomic>

#include "engine/said.hpp"
#include "mpi/process/host.hpp"
#include "select/collective/links.hpp"
#include "settings/settings.hpp"
#include "transport/common_file.hpp"

namespace heddle::mpi {

using engine::wish_exchange;
using engine::wish_fabric;
using engine::wish_meeting;
using engine::wish_messages;
using engine::wish_node;
using engine::wish_report;

struct Agreed {
  unsigned wishes = 0;           ///< What every rank wishes.
  bool one_machine = false;      ///< All ranks run under one kernel, and none takes its node for several (HEDDLE_NODES).
  transport::CommonFile file{};  ///< Of all ranks, if it is offered: for Node::start().
};

/// Collective over MPI_COMM_WORLD. A rank without Heddle never answers; after HEDDLE_PATIENCE the job
/// is ended with a sentence that names the way out.
///
/// To carry out collectives, settings::shared(set) must be the same on all ranks, too; if it is not, a sentence says what
/// differs, and nobody wishes that. The names are those of every rank, in one order.
Agreed agree(unsigned wishes, const settings::Settings& set) noexcept;

/// Which ranks share this one's node.
///
///   const Placement placement(all.one_machine);         // collective over MPI_COMM_WORLD
///   Node::start(placement.ranks(), true, all.file);
///   ...
///   Placement::node()                                   // equal on the ranks of a node, different on different nodes
class Placement {
 public:
  /// @param one_machine  All ranks run under one kernel, as all of them know: the host need not be asked.
  explicit Placement(bool one_machine) noexcept;
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  /// The ranks of this node, in the order of the world; MPI_COMM_WORLD if all are. MPI_COMM_NULL: the host does not say.
  [[nodiscard]] MPI_Comm ranks() const noexcept { return ranks_; }
  /// Ranks are on several nodes. All ranks find the same.
  [[nodiscard]] bool several() const noexcept { return several_; }
  /// The lowest rank of MPI_COMM_WORLD on this node; -1: nobody has looked, or the host does not say.
  static int node() noexcept { return node_.load(std::memory_order_relaxed); }

 private:
  MPI_Comm ranks_ = MPI_COMM_NULL;
  bool several_ = false;
  static inline constinit std::atomic<int> node_{-1};
};

/// Collective over MPI_COMM_WORLD: each machine has a profile of its own, or none. Of each number the greatest of all ranks'
/// profiles, for a collective is as quick as its slowest rank.
void agree_on_links() noexcept;

/// The host's built-in ones until then.
const select::Links& links_of_job() noexcept;

}  // namespace heddle::mpi
