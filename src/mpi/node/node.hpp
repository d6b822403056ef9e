// mpi/node/node.hpp: the ranks that share this process's node, and what Heddle shares with them. Includes communicators/,
// engine/, select/, transport/.
//
//   if (Node* node = Node::here())                              // null: alone on the node, or Heddle goes without
//     if (const int peer = node->peer(comm, dest); peer >= 0) ...
#pragma once

#include <atomic>
#include <memory>
#include <string>

#include "engine/inbox.hpp"
#include "engine/loaned_slot.hpp"
#include "engine/outbox.hpp"
#include "engine/scatter_hints.hpp"
#include "engine/unclaimed.hpp"
#include "mpi/communicators/known.hpp"
#include "select/profile_file.hpp"
#include "transport/node.hpp"
#include "transport/peer_memory.hpp"
#include "transport/shared_memory.hpp"

namespace heddle::mpi {

using layout::Bytes;

class Node {
 public:
  /// Null until started, and for good where there is nobody to share with.
  static Node* here() noexcept { return here_.load(std::memory_order_acquire); }

  /// The node, also while MPI_Finalize runs: attribute callbacks free memory then. Null: there never was one.
  static Node* ever() noexcept { return ever_.load(std::memory_order_acquire); }

  /// Collective over MPI_COMM_WORLD, in MPI_Init, where all ranks wish it. All ranks of a node come to the same answer; what a
  /// node goes without (a refused system call) its first rank says, once.
  /// @param ranks  Of this node (Placement); MPI_COMM_NULL: there is no node.
  /// @param messages  It carries messages of the program, too, not blocks of collectives alone.
  static void start(MPI_Comm ranks, bool messages) noexcept;
  /// Since start(): this rank's node has what sharing needs; true also where the rank is alone.
  static bool possible() noexcept { return possible_; }
  /// Before MPI_Finalize. What receivers still have to fetch stays in the memory that they have mapped.
  static void stop() noexcept;

  /// The node rank of rank `rank` of `comm` (of its remote group, if it is an inter-communicator); -1: on another node.
  [[nodiscard]] int peer(MPI_Comm comm, int rank) const { return peer(communicators::world_rank(comm, rank)); }
  /// The same of a rank of MPI_COMM_WORLD, or of -1.
  [[nodiscard]] int peer(int world) const {
    const int peer = world < 0 ? -1 : ranks_.rank_of(world);
    // Whose memory is not mapped here has not mapped ours: nothing can be announced between the two.
    return peer >= 0 && transport_->memory(peer) ? peer : -1;
  }
  /// How to get at what a peer sends.
  [[nodiscard]] engine::Reach reach(int peer) noexcept;
  /// Whether that peer can read this process's buffers by process_vm_readv.
  [[nodiscard]] bool read_by(int peer) const noexcept { return transport_->can_be_read_by(peer); }
  [[nodiscard]] Bytes memory_size() const noexcept { return transport_->memory_size(); }
  /// Where this process's node memory begins.
  [[nodiscard]] const std::byte* memory() const noexcept { return transport_->memory(me()); }
  [[nodiscard]] int size() const noexcept { return transport_->size(); }
  /// The rank of this process in the node.
  [[nodiscard]] int me() const noexcept { return transport_->me(); }
  /// Of a rank of the node.
  [[nodiscard]] int world_rank(int peer) const noexcept { return ranks_.world_rank(peer); }
  [[nodiscard]] const engine::Nonce& nonce() const noexcept { return nonce_; }
  [[nodiscard]] engine::Outbox& outbox() noexcept { return outbox_; }
  /// Slots for mailboxes.
  [[nodiscard]] engine::Loans& loans() noexcept { return loans_; }
  /// How far the cores of this node's ranks are.
  [[nodiscard]] const engine::Distances& distances() const noexcept { return distances_; }
  /// Whether a host that packs while it sends had rather have a message with holes for that peer (select/left_to_host.hpp).
  [[nodiscard]] bool leaves_to_host(int peer, Bytes bytes, bool blocking) noexcept;
  /// Memory that peers can map.
  [[nodiscard]] transport::SharedMemory& shared() noexcept { return shared_; }
  /// More ranks than cores.
  [[nodiscard]] bool crowded() const noexcept { return outbox_.crowded(); }
  /// Ranks of this node that scatter what this process sends in one piece.
  [[nodiscard]] const engine::ScatterHints& scatter_hints() const noexcept { return scatter_hints_; }
  /// What the lengths of a peer's descriptors mean.
  [[nodiscard]] engine::Lengths lengths(int peer) const noexcept { return engine::Lengths(transport_->memory(peer)); }
  /// What this process has received and not claimed, and what a peer has.
  [[nodiscard]] engine::Unclaimed unclaimed() const noexcept { return engine::Unclaimed(arena_.base()); }
  [[nodiscard]] engine::Unclaimed unclaimed(int peer) const noexcept { return engine::Unclaimed(transport_->memory(peer)); }
  /// This process probes: its peers are to know.
  void probes() noexcept {
    if (engine::Lengths mine(arena_.base()); !mine.probes()) mine.set_probes();
  }
  /// A message of so many bytes has been announced and packed, or read.
  void has_sent(Bytes bytes) noexcept;
  /// Tells a peer that this process scatters what it sends.
  void tell_to_scatter(int peer) noexcept;
  /// What moving bytes costs here (HEDDLE_PROFILE).
  [[nodiscard]] const select::Profile& profile() const noexcept { return profile_.profile; }
  /// Messages of the program may be announced. The same on all ranks.
  [[nodiscard]] bool carries_messages() const noexcept { return carries_messages_; }
  /// Messages of this many bytes and more are announced.
  [[nodiscard]] Bytes threshold() const noexcept { return threshold_; }
  /// Messages in one piece may be announced, too (HEDDLE_CONTIGUOUS), if they are neither short nor of a size that would take
  /// much node memory. Bytes.
  static constexpr Bytes least_piece = Bytes{32} << 10;
  static constexpr Bytes most_piece = Bytes{4} << 20;
  [[nodiscard]] bool moves_pieces(Bytes bytes) const noexcept {
    return moves_pieces_ && bytes >= least_piece && bytes <= most_piece;
  }

 private:
  struct Place;
  Node(std::unique_ptr<transport::Node> transport, const engine::Nonce& nonce, group::Group ranks);
  static std::unique_ptr<Node> made(Place& place, const engine::Nonce& nonce) noexcept;

  static inline std::atomic<Node*> here_{nullptr};
  static inline std::atomic<Node*> ever_{nullptr};
  static inline std::atomic<bool> possible_{false};

  std::unique_ptr<transport::Node> transport_;
  engine::Nonce nonce_;
  engine::Arena arena_;
  engine::Desks desks_;
  engine::Distances distances_;
  engine::Outbox outbox_;
  engine::Loans loans_{outbox_};
  engine::ScatterHints scatter_hints_;
  engine::Known known_;
  transport::SharedMemory shared_;
  transport::PeerMemory theirs_;
  group::Group ranks_;  // of this node, in the world
  select::Loaded profile_;
  Bytes threshold_;
  bool carries_messages_ = true;
  std::atomic<Bytes> sent_{0};
  bool moves_pieces_;
};

}  // namespace heddle::mpi
