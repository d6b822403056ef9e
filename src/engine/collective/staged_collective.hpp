// engine/collective/staged_collective.hpp: a collective that the library carries out on packed
// data. It has the staging buffers of both sides, loads blocks before the call, and stores blocks
// afterwards.
//
//   Staged<Side<Types>, Blocks<Types>> op("gather");
//   if (!op.prepare(send, 1, true, receive, ranks, is_root)) return {};
//   op.settle_numbers();
//   op.load();
//   PMPI_Gatherv(op.out.address(), ..., op.in.counts(), ...);                    // or PMPI_Gatherv_c, if op.wide
//   op.store();
#pragma once

#include <bitset>
#include <cstddef>

#include "engine/collective/block_sides.hpp"

namespace heddle::engine {

constexpr int most_absent = 128;  ///< Neighbours in a Cartesian topology of 64 dimensions.
/// Numbers of blocks that no rank fills, because they are beyond the edge of a topology. Their
/// place in the receive buffer stays as it is.
using Absent = std::bitset<most_absent>;

/// Out, In: Side if all blocks are alike, or Blocks. The library needs all four combinations.
template <class Out, class In>
struct Staged {
  static constexpr int none = -1;
  static constexpr int all = -2;

  /// @param call  The name in the report: that of the family.
  explicit Staged(const char* call) noexcept : out(call), in(call) {}

  Out out;
  In in;
  bool wide = false;         ///< Counts or displacements do not fit int.
  bool wide_places = false;  ///< The host takes displacements as MPI_Aint, whatever the counts.
  bool sends = true;         ///< The send side is loaded before the call.
  int sends_but = none;      ///< This block of it is not.
  int contributes = none;    ///< This block of the receive side is loaded, too: MPI_IN_PLACE.
  int stores = all;          ///< Blocks of the receive side that are stored: none or all.
  int but = none;            ///< This block is not stored.
  int blocks = 0;            ///< Number of blocks of the receive side.
  Absent absent;             ///< Blocks that no rank fills are not stored.
  bool keeps = false;        ///< Blocks that are stored are loaded first: a failed call must not change them.

  /// Prepares both sides, with so many blocks each. If a side is not significant, MPI does not let
  /// us read it. False: the call is the library's.
  template <class Send, class Receive>
  [[nodiscard]] bool prepare(const Send& send, int sent, bool send_significant, const Receive& receive, int received,
                             bool receive_significant) noexcept {
    blocks = received;
    return out.prepare(send, sent, send_significant) && in.prepare(receive, received, receive_significant) &&
           (out.ours() || in.ours());
  }
  /// For a blocking call. Moves this rank's block to itself in one pass, which replaces a pack, the
  /// host's copy and an unpack.
  void move_own(int sent, int received) {
    if (!out.move_own_block(sent, in, received)) return;
    sends_but = sent;
    but = received;
  }
  /// Makes the numbers for the host. Only when all blocks are settled.
  void settle_numbers() noexcept {
    wide = out.wide_counts() || in.wide_counts() || (!wide_places && (out.wide_places() || in.wide_places()));
    out.narrow_unless(wide, wide_places);
    in.narrow_unless(wide, wide_places);
  }
  /// True: there is so much to pack that the library may choose its way by it.
  [[nodiscard]] bool packs_much() const noexcept { return out.packs_much() || in.packs_much(); }
  void load() {
    if (sends) out.load_but(sends_but);
    if (contributes == all || keeps)
      in.load_but(none);
    else if (contributes != none)
      in.load(contributes);
  }
  void store() {
    if (stores == none) return;
    if (absent.none()) return in.store_but(but);
    for (int i = 0; i < blocks; ++i)
      if (i != but && (i >= most_absent || !absent[static_cast<std::size_t>(i)])) in.store(i);
  }
};

}  // namespace heddle::engine
