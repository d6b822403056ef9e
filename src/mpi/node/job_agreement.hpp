// mpi/node/job_agreement.hpp: what all ranks of a job agree on in MPI_Init. All run Heddle, or none
// does anything that needs the others. They learn which ranks share a node, and how long a message
// of the host takes. Collectives are chosen by these times.
//
//   Agreed all = agree(wish_node | wish_report, set);    // every rank, whatever it wishes
//   if (all.wishes & wish_node) ...
#pragma once

#include <atomic>

#include "engine/start/init_handshake.hpp"
#include "mpi/process/host.hpp"
#include "select/collective/links.hpp"
#include "settings/settings.hpp"
#include "transport/common_file.hpp"

namespace heddle::mpi {

using engine::wish_created;
using engine::wish_exchange;
using engine::wish_fabric;
using engine::wish_files;
using engine::wish_meeting;
using engine::wish_messages;
using engine::wish_node;
using engine::wish_report;
using engine::wish_windows;

struct Agreed {
  unsigned wishes = 0;           ///< What every rank wishes.
  bool one_machine = false;      ///< All ranks run under one kernel, and none takes its node for several (HEDDLE_NODES).
  transport::CommonFile file{};  ///< A file for all ranks, if rank 0 offers one. For MpiNode::start().
};

/// Collective over MPI_COMM_WORLD. A rank without Heddle never answers. After HEDDLE_PATIENCE, the
/// job then ends with a message that names the way out.
///
/// Heddle carries out collectives only if settings::shared(set) is the same on all ranks, too. If
/// it is not, a message says what differs, and wish_exchange is granted to nobody. All ranks have
/// the same settings there, in the same order.
Agreed agree(unsigned wishes, const settings::Settings& set) noexcept;

/// The ranks that share this rank's node.
///
///   const Placement placement(all.one_machine);         // collective over MPI_COMM_WORLD
///   MpiNode::start(placement.ranks(), true, all.file);
///   ...
///   Placement::node()                                   // equal on the ranks of a node, different on different nodes
class Placement {
 public:
  /// @param one_machine  All ranks know that they run under one kernel. Then the host is not asked.
  explicit Placement(bool one_machine) noexcept;
  ~Placement();
  Placement(const Placement&) = delete;
  Placement& operator=(const Placement&) = delete;

  /// The ranks of this node, in the order of the world; MPI_COMM_WORLD if all are. MPI_COMM_NULL:
  /// the host does not say.
  [[nodiscard]] MPI_Comm ranks() const noexcept { return ranks_; }
  /// Ranks are on several nodes. All ranks find the same.
  [[nodiscard]] bool several() const noexcept { return several_; }
  /// The lowest rank of MPI_COMM_WORLD on this node; -1: nobody has looked, or the host does not
  /// say.
  static int node() noexcept { return node_.load(std::memory_order_relaxed); }

 private:
  MPI_Comm ranks_ = MPI_COMM_NULL;
  bool several_ = false;
  static inline constinit std::atomic<int> node_{-1};
};

/// Collective over MPI_COMM_WORLD. Each machine has a profile of its own, or none. Takes the
/// greatest value of each number in all ranks' profiles, because a collective is as slow as its
/// slowest rank.
void agree_on_links() noexcept;

/// The agreed costs. Until agree_on_links(), these are the built-in costs of the host.
const select::Links& links_of_job() noexcept;

}  // namespace heddle::mpi
