// engine/node/node.hpp: the state that a process shares with the ranks of its node, once these have
// found each other. It has the memory in which messages are announced, and from which they are
// fetched.
//
//   Node node(std::move(transport), nonce, {.crowded = ranks > cores, .profile = profile});
//   if (const std::byte* memory = node.reach(peer).memory) ...
#pragma once

#include <algorithm>
#include <atomic>
#include <memory>
#include <optional>

#include "engine/node/claims.hpp"
#include "engine/node/lengths.hpp"
#include "engine/node/loaned_slot.hpp"
#include "engine/node/rendezvous_receiver.hpp"
#include "engine/node/rendezvous_sender.hpp"
#include "engine/node/scatter_hints.hpp"
#include "engine/node/unclaimed.hpp"
#include "select/profile.hpp"
#include "transport/join_node.hpp"
#include "transport/mapped/shared_memory.hpp"

namespace heddle::engine {

class Node {
 public:
  struct Options {
    bool crowded = false;  ///< More ranks than cores.
    select::Profile profile{};
    Bytes threshold = 0;        ///< Messages of at least so many bytes are announced; never less than a descriptor.
    bool moves_pieces = false;  ///< Messages in one piece may be announced, too, unless the node is crowded.
  };

  /// @param transport  It has joined, and has memory.
  Node(std::unique_ptr<transport::JoinedNode> transport, const Nonce& nonce, const Options& options);
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  /// Access to a peer's messages. The head of its memory is open (Arena::head); Reach::open() opens
  /// more.
  [[nodiscard]] Reach reach(int peer) noexcept;
  /// The transports by which that peer copies, or maps, any memory of this process. Null: none.
  [[nodiscard]] const transport::Transport* copied_by(int peer) const noexcept {
    return transport_->transports().copied_by(peer);
  }
  [[nodiscard]] const transport::Transport* mapped_by(int peer) const noexcept {
    return transport_->transports().mapped_by(peer);
  }
  /// That peer's memory, if this process can copy it.
  [[nodiscard]] transport::Copier copier(int peer) const noexcept { return transport_->transports().copier(peer); }
  [[nodiscard]] ScratchPool& scratch_pool() noexcept { return scratch_pool_; }
  [[nodiscard]] Bytes memory_size() const noexcept { return transport_->memory_size(); }
  /// Start of this process's node memory.
  [[nodiscard]] const std::byte* memory() const noexcept { return transport_->memory(me()); }
  [[nodiscard]] int size() const noexcept { return transport_->size(); }
  /// The rank of this process in the node.
  [[nodiscard]] int me() const noexcept { return transport_->me(); }
  [[nodiscard]] const Nonce& nonce() const noexcept { return nonce_; }
  [[nodiscard]] RendezvousSender& rendezvous_sender() noexcept { return rendezvous_sender_; }
  /// Slots for mailboxes.
  [[nodiscard]] Loans& loans() noexcept { return loans_; }
  /// Distances between the cores of this node's ranks.
  [[nodiscard]] const Distances& distances() const noexcept { return distances_; }
  /// The address here of memory that a peer has handed out by shared(), for reading. Null: it is
  /// not there.
  [[nodiscard]] const std::byte* map(int peer, const transport::Place& place, Bytes bytes) noexcept {
    return transport_->transports().map({.peer = peer, .bytes = bytes, .place = place}).address();
  }
  /// Memory that peers can map.
  [[nodiscard]] transport::SharedMemory& shared() noexcept { return shared_; }
  /// More ranks than cores.
  [[nodiscard]] bool crowded() const noexcept { return rendezvous_sender_.crowded(); }
  /// Ranks of this node that scatter what this process sends in one piece.
  [[nodiscard]] const ScatterHints& scatter_hints() const noexcept { return scatter_hints_; }
  /// The meanings of the lengths of a peer's descriptors.
  [[nodiscard]] Lengths lengths(int peer) const noexcept { return Lengths(transport_->memory(peer)); }
  /// Makes the first `end` bytes of that peer's node memory accessible. False: refused.
  [[nodiscard]] bool open(int peer, Bytes end) noexcept { return transport_->open(peer, end); }
  /// Copies of the descriptors that a peer has under way.
  [[nodiscard]] Announcements announcements(int peer) const noexcept { return Announcements(transport_->memory(peer)); }
  /// The messages that threads of this process are fetching.
  [[nodiscard]] Claims& claims() noexcept { return claims_; }
  /// A descriptor was lost in this process's memory: its receives overlap, or it writes into them.
  /// Peers announce nothing to this process from here on, and the watch does not accuse it.
  void note_overlap() noexcept {
    if (Lengths mine(arena_.base()); !mine.overlaps()) mine.set_overlaps();
    unclaimed().set_uncertain();
  }
  /// Descriptors that this process, or a peer, is suspected to have received without a claim.
  [[nodiscard]] Unclaimed unclaimed() const noexcept { return Unclaimed(arena_.base()); }
  [[nodiscard]] Unclaimed unclaimed(int peer) const noexcept { return Unclaimed(transport_->memory(peer)); }
  /// Bytes of the message whose descriptor has arrived in a message of `length` bytes. None: it is
  /// no descriptor.
  [[nodiscard]] std::optional<Bytes> announced(const void* arrived, Bytes length) const noexcept;
  /// The control block that a suspicion names; null: none can be there.
  [[nodiscard]] const Control* control_of(const Unclaimed::Suspect& suspect) noexcept;
  /// Tells the peers that this process probes.
  void probes() noexcept {
    if (Lengths mine(arena_.base()); !mine.probes()) mine.set_probes();
  }
  /// Notes that a message of so many bytes has been announced, and packed or read. False: a huge
  /// page would have been worth it, but there is no memory for one.
  bool note_sent(Bytes bytes) noexcept;
  /// True: a message with holes for that peer is better left to a host that packs while it sends
  /// (select/left_to_host.hpp).
  [[nodiscard]] bool better_by_host(int peer, Bytes bytes, bool blocking) noexcept;
  /// Tells a peer that this process scatters messages that the peer sends in one piece.
  void tell_to_scatter(int peer) noexcept;
  /// The costs of moving bytes on this machine.
  [[nodiscard]] const select::Profile& profile() const noexcept { return profile_; }
  /// Messages of at least so many bytes are announced.
  [[nodiscard]] Bytes threshold() const noexcept { return threshold_; }
  /// Messages in one piece may be announced, too (HEDDLE_CONTIGUOUS), if they are neither short nor
  /// of a size that would take much node memory. Bytes.
  static constexpr Bytes least_piece = Bytes{32} << 10;
  static constexpr Bytes most_piece = Bytes{4} << 20;
  [[nodiscard]] bool moves_pieces(Bytes bytes) const noexcept {
    return moves_pieces_ && bytes >= least_piece && bytes <= most_piece;
  }
  /// True: that rank's memory is mapped here. If it is not, that rank has not mapped our memory
  /// either, and the two can announce no messages to each other.
  [[nodiscard]] bool maps(int peer) const noexcept { return transport_->memory(peer) != nullptr; }

 private:
  std::unique_ptr<transport::JoinedNode> transport_;
  Nonce nonce_;
  Arena arena_;
  ScratchPool scratch_pool_;
  Distances distances_;
  RendezvousSender rendezvous_sender_;
  Loans loans_{rendezvous_sender_};
  ScatterHints scatter_hints_;
  PeerDatatypes known_;
  Claims claims_;
  transport::SharedMemory shared_;
  select::Profile profile_;
  Bytes threshold_;
  std::atomic<Bytes> sent_{0};
  bool moves_pieces_;
};

}  // namespace heddle::engine
