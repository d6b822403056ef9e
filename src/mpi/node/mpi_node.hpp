// mpi/node/mpi_node.hpp: the ranks that share this process's node, and what Heddle shares with
// them.
//
//   if (MpiNode* node = MpiNode::here())                              // null: alone on the node, or Heddle goes without
//     if (const int peer = node->peer(comm, dest); peer >= 0) ...
#pragma once

#include <atomic>
#include <memory>
#include <optional>

#include "engine/node/node.hpp"
#include "layout/immortal.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "settings/settings.hpp"
#include "threads/read_by_every_call.hpp"
#include "transport/assembly.hpp"
#include "transport/node_options.hpp"

namespace heddle::mpi {

using layout::Bytes;

/// The options by which a rank joins its node.
transport::NodeOptions node_options(const settings::Settings& set) noexcept;

class MpiNode : public engine::Node {
 public:
  /// Null before start(). It stays null if there is no rank to share with.
  static MpiNode* here() noexcept { return here_.load(std::memory_order_acquire); }

  /// The node, also while MPI_Finalize runs: attribute callbacks free memory then. Null: there
  /// never was one.
  static MpiNode* ever() noexcept { return ever_.load(std::memory_order_acquire); }

  /// Collective over MPI_COMM_WORLD, in MPI_Init, if all ranks wish it. All ranks of a node get the
  /// same result. If the system refuses a feature, the first rank of the node says so, once.
  /// @param ranks  The ranks of this node (Placement). MPI_COMM_NULL: there is no node.
  /// @param messages  The node carries messages of the program, not only blocks of collectives.
  /// @param file  The file of all ranks, if it is offered.
  static void start(MPI_Comm ranks, bool messages, transport::CommonFile& file) noexcept;
  /// Known after start(). True: this rank's node has everything that sharing needs. It is true also
  /// for a rank that is alone there.
  static bool possible() noexcept { return possible_; }
  /// Collectives of all ranks of the job in shared memory, in one order. Null: they do not share
  /// memory, or MPI_Init is over.
  static transport::Assembly* starting() noexcept { return assembly().get(); }
  static void started() noexcept { assembly().reset(); }
  /// Before MPI_Finalize. Messages that receivers have yet to fetch stay in the memory that they
  /// have mapped.
  static void stop() noexcept;

  /// The node rank of rank `rank` of `comm` (of its remote group, if it is an inter-communicator);
  /// -1: on another node.
  [[nodiscard]] int peer(MPI_Comm comm, int rank) const { return peer(communicators::world_rank(comm, rank)); }
  /// The node rank of a rank of MPI_COMM_WORLD, or of -1.
  [[nodiscard]] int peer(int world) const {
    const int peer = world < 0 ? -1 : ranks_.rank_of(world);
    return peer >= 0 && maps(peer) ? peer : -1;
  }
  /// True: that rank is of this node, as both ranks know. One may have failed to map the other.
  [[nodiscard]] bool has(MPI_Comm comm, int rank) const {
    const int world = communicators::world_rank(comm, rank);
    return world >= 0 && ranks_.rank_of(world) >= 0;
  }
  /// The rank in MPI_COMM_WORLD of a rank of the node.
  [[nodiscard]] int world_rank(int peer) const noexcept { return ranks_.world_rank(peer); }
  /// True: leave a message with holes to the host, which is quicker for that peer.
  [[nodiscard]] bool leaves_to_host(int peer, Bytes bytes, bool blocking) noexcept;
  /// Messages of the program may be announced. All ranks find the same.
  [[nodiscard]] bool carries_messages() const noexcept { return carries_messages_; }

 private:
  struct Place;
  MpiNode(std::unique_ptr<transport::JoinedNode> transport, const engine::Nonce& nonce, const Options& options,
          group::Group ranks);
  static bool attached(Place& place, bool ready, transport::CommonFile& file) noexcept;
  static void join(Place& place, MPI_Comm ranks) noexcept;
  static std::optional<engine::Nonce> agreed(const Place& place, bool ready) noexcept;
  static std::unique_ptr<MpiNode> made(Place& place, const engine::Nonce& nonce) noexcept;

  HEDDLE_READ_BY_EVERY_CALL static constinit std::atomic<MpiNode*> here_;
  static inline std::atomic<MpiNode*> ever_{nullptr};
  static inline std::atomic<bool> possible_{false};
  static std::shared_ptr<transport::Assembly>& assembly() noexcept {
    static layout::Immortal<std::shared_ptr<transport::Assembly>> of_start;
    return *of_start;
  }

  group::Group ranks_;  // ranks of MPI_COMM_WORLD on this node
  bool carries_messages_ = true;
};

}  // namespace heddle::mpi
