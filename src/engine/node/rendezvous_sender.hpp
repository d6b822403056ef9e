// engine/node/rendezvous_sender.hpp: the large messages that this process has sent to ranks of its
// node, until the last segment is with its receiver.
//
//   Descriptor descriptor;
//   Outgoing* message = rendezvous_sender.begin({&layout, count, buffer}, plan, descriptor);   // null: no room, send it packed
//   PMPI_Send(&descriptor, descriptor.length, MPI_BYTE, dest, tag, comm);
//   rendezvous_sender.settle(*message);              // from here on the program may overwrite its buffer
//   rendezvous_sender.leave(message);                // Heddle takes it back when the receiver is through
//
// Safe for several threads, each with messages of its own.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "engine/node/announcements.hpp"
#include "engine/node/arena.hpp"
#include "engine/node/datatype_cache.hpp"
#include "engine/node/descriptor.hpp"
#include "engine/node/distance.hpp"
#include "engine/node/lengths.hpp"
#include "engine/node/scratch_buffers.hpp"
#include "layout/layout.hpp"
#include "layout/stores.hpp"
#include "report/times.hpp"

namespace heddle::engine {

/// The program's send buffer. The layout must live until the message is packed.
struct Source {
  const layout::Layout* layout;
  Count count;
  const void* base;
};

/// The way to send a message (select/).
struct Plan {
  Scheme scheme = Scheme::bc_spup;
  Bytes segment = slot_bytes;  ///< A power of two from 64 bytes to slot_bytes.
  bool pullable = false;       ///< A transport gives the receiver the buffer, and the layout is listed.
  bool attachable = false;     ///< The receiver may attach the buffer, because the call ends with the message.
  std::int64_t grace_ns = 0;   ///< How long a waiting sender leaves cells to the receiver before it packs them.
  int receiver = -1;           ///< Rank of the node; -1: nothing is learned of its distance.
  layout::Stores stores = layout::Stores::cached;
  Probed probed = Probed::never;
  int tag = 0;             ///< The program's.
  std::uint64_t comm = 0;  ///< Any number that identifies its communicator.
  Listed layout{};
  std::optional<transport::Place> place{};  ///< Place of the first byte touched, if peers can map the buffer.
};

struct Outgoing {
  Source source{};
  Control* control = nullptr;
  std::uint64_t generation = 0;           ///< The descriptor has it, too; 0: no message.
  Announcements::Entry* entry = nullptr;  ///< Belongs to this object for good.
  Bytes total = 0;
  Bytes segment = 0;
  Count segments = 0;
  Count per_slot = 0;          ///< Segments in one slot.
  Count passed = 0;            ///< Cells that this side has passed: packed by it, or taken by the receiver.
  Count reclaimed = 0;         ///< Slots that are given back, or were not needed.
  Count reserved = 0;          ///< Slots promised, not taken yet.
  std::byte* piece = nullptr;  ///< The room of a short message, which has no slots.
  std::byte* slot = nullptr;   ///< The slot that is being filled.
  Count slot_number = -1;      ///< Its number among the message's slots.
  std::int64_t grace_ns = 0;
  int code = LengthBook::none;  ///< Code of the descriptor's length.
  int receiver = -1;
  std::uint32_t asked = 0;  ///< The distance that the control block started with.
  layout::Stores stores = layout::Stores::cached;
  Count portion = 1;  ///< Segments that are best packed at once.
};

/// State that senders and receivers of a process share.
struct Shared {
  ScratchPool* scratch_pool;  ///< Null: each segment is packed by itself.
  Distances& distances;
};

class RendezvousSender {
 public:
  /// @param crowded  More ranks than cores: waiting gives the core away.
  RendezvousSender(Arena& arena, const Nonce& nonce, std::uint32_t me, Clock clock, bool crowded, const Shared& shared)
      : arena_(arena), nonce_(nonce), me_(me), clock_(clock), crowded_(crowded), shared_(shared) {}

  [[nodiscard]] bool crowded() const { return crowded_; }
  /// The layouts that receivers may look up, in the same memory.
  [[nodiscard]] DatatypeCache& datatype_cache() { return datatype_cache_; }

  /// Reserves room for the whole message and fills in the descriptor. The message that brings the
  /// descriptor has descriptor.length bytes. Null: there is no room now, the message is too long
  /// for a control block, or no length is left for a descriptor that may be probed.
  [[nodiscard]] Outgoing* begin(const Source& source, const Plan& plan, Descriptor& descriptor) noexcept;
  /// Leaves open cells to the receiver as long as it keeps taking them (grace_ns each), then packs
  /// the rest. Returns when the receiver does not read the buffer any more. Adds the parts of its
  /// time to `times`, if not null.
  void settle(Outgoing& message, report::Times* times = nullptr) noexcept;
  /// The buffer of a message of this process to itself. Its receiver has claimed a cell, so the
  /// message stays. Null: the descriptor is of no message under way.
  [[nodiscard]] const Source* source_of(const Descriptor& descriptor) noexcept;
  /// After settle(). The sender reclaims the message when the receiver is through.
  void leave(Outgoing* message) noexcept;
  /// Takes back a message whose descriptor no receiver will get: it was not sent, or the host has
  /// cancelled it.
  void withdraw(Outgoing* message) noexcept;
  /// Reclaims all messages that receivers have finished. begin() looks only at a few.
  void sweep() noexcept;
  /// The program is about to send a message of so many bytes itself.
  void sends_plainly(Bytes length, int tag) noexcept {
    if (Lengths::noted(length) && !lengths_.settled(length)) note_plain(length, tag);
  }
  /// A slot of memory that peers have mapped, for as long as the caller likes. Null: none is free.
  [[nodiscard]] std::byte* lend() noexcept;
  void take_back(std::byte* slot) noexcept;
  /// Offset at which peers find an address of a slot in this process's node memory.
  [[nodiscard]] Bytes offset_of(const std::byte* at) const { return at - arena_.base(); }
  /// Messages that are not drained.
  [[nodiscard]] std::size_t under_way() const { return left_.size(); }

 private:
  bool make_one() noexcept;
  void leave_to_receiver(const Outgoing& message) const noexcept;
  void pack(Outgoing& message, Count i) noexcept;
  void pack_rest(Outgoing& message) noexcept;
  void pack_portion(Outgoing& message, ScratchBuffers& scratch) noexcept;
  std::byte* place_for(Outgoing& message, Count i) noexcept;
  void publish(Cell& cell, const std::byte* place) noexcept;
  std::byte* slot_for(Outgoing& message, Count i) noexcept;
  void reclaim(Outgoing& message) noexcept;
  bool finish_if_drained(std::size_t i) noexcept;
  void look_at_some() noexcept;
  void release(Outgoing* message) noexcept;
  void note_plain(Bytes length, int tag) noexcept;

  Arena& arena_;
  Nonce nonce_;
  std::uint32_t me_;
  Clock clock_;
  bool crowded_;
  Shared shared_;
  std::mutex lock_;  // guards the arena, the datatype cache and the members below
  DatatypeCache datatype_cache_{arena_, lock_};
  LengthBook lengths_{arena_.base()};
  AnnouncementBook announcements_{arena_};
  std::uint64_t generation_ = 0;
  std::vector<std::unique_ptr<Outgoing>> all_;
  std::vector<Outgoing*> left_;  // not drained when last looked at
  std::vector<Outgoing*> unused_;
  std::size_t next_look_ = 0;
  std::size_t last_found_ = 0;  // by source_of()
};

}  // namespace heddle::engine
