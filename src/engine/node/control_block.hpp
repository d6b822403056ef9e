// engine/node/control_block.hpp: the control block that two ranks of a node share for one large
// message. The whole protocol is in docs/protocol.md.
//
//   descriptor ──▶ Control: generation, cell 0    cell 1             cell 2 ...   one for each segment of the packed stream
//   by MPI                              │         │
//                                       slot 7    slot 7 + segment   ...          packed bytes, in the sender's node memory
//
//   open ──▶ packing ──▶ packed ──▶ done       the sender packs it into a slot, the receiver unpacks it
//   open ──▶ taken ───────────────▶ done       the receiver moves it straight from the sender's buffer,
//        ◀──                                   or gives it back, because it cannot
//
// Leaving `open` is a compare-and-swap, so exactly one side moves a segment. All other steps have
// one writer.
#pragma once

#include <atomic>
#include <cstdint>

#include "layout/bytes.hpp"

namespace heddle::engine {

using layout::Bytes;
using layout::Count;

constexpr Bytes line_bytes = 64;  ///< The unit of places.

enum class State : std::uint32_t { open, packing, packed, taken, done };

struct Cell {
  std::atomic<State> state{State::open};
  std::uint32_t place = 0;  ///< Place of the packed bytes, in 64-byte lines from the start of the sender's node memory.
};

/// Lies in the sender's node memory. The sender writes it before any receiver knows of it. Only
/// line_ns and the cells change later.
struct alignas(64) Control {
  std::atomic<std::uint64_t> generation{0};  ///< The sender's number of the message; the descriptor quotes it.
  std::uint32_t segments = 0;
  std::int32_t tag = 0;  ///< Of the message. A receive compares it with its own (arrival.cpp).
  /// ns that a cache line takes to the receiver, as the sender believes (distance.hpp). The
  /// receiver of this generation corrects it before its last cell is done.
  std::atomic<std::uint32_t> line_ns{0};
  alignas(64) Cell cells[1];  ///< `segments` of them.

  static constexpr Bytes bytes(Count segments) { return 64 + static_cast<Bytes>(sizeof(Cell)) * segments; }
};
static_assert(sizeof(Cell) == 8 && std::atomic<State>::is_always_lock_free && std::atomic<std::uint64_t>::is_always_lock_free);

/// Makes a control block where another one may have been. A receiver that still looks at the other
/// one (unclaimed.hpp) must see that its generation is over before it sees new cells.
inline Control* make_control(std::byte* at) noexcept {
  __atomic_store_n(reinterpret_cast<std::uint64_t*>(at), std::uint64_t{0}, __ATOMIC_RELAXED);  // Control::generation
  std::atomic_thread_fence(std::memory_order_release);
  return new (at) Control;
}

/// Takes an open cell for one side; false if the other side has been faster.
inline bool claim(Cell& cell, State as) noexcept {
  State expected = State::open;
  return cell.state.compare_exchange_strong(expected, as, std::memory_order_acq_rel, std::memory_order_acquire);
}

}  // namespace heddle::engine
