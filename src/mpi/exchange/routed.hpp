// mpi/exchange/routed.hpp: an Alltoallv by a schedule that bundles: what goes the same way travels in one message. Includes
// exchange.hpp, engine/router.hpp, select/collective/way.hpp.
//
//   Routed routed(*own, way);                           // way.algorithm: crystal, bruck, two-level, ...
//   blocks::to_all(*own, send, receive, routed);        // the same calls as of Exchange
//   return routed.run(comm);
//
// Both ranks of a pair know the bytes of its block: from `beside=` of HEDDLE_ROUTER on, it goes straight from rank to rank, and
// what is short is bundled with other ranks' along the rounds, if they take it to a rank so far away (Way::reach). So a choice
// that does not fit costs what a few short blocks cost, and one outlier is not moved log2 P times. A block is packed straight
// into the bundle, and unpacked straight from the bundle that it came in.
#pragma once

#include <vector>

#include "mpi/exchange/exchange.hpp"
#include "select/collective/way.hpp"

namespace heddle::mpi {

/// Bytes from which on a block is not bundled. The same on all ranks.
Bytes straight_from() noexcept;

class Routed {
 public:
  /// Throws std::bad_alloc.
  Routed(ShadowComm& shadow, const select::Way& way);

  void send(const Edge& to, const Buffer& data, Bytes bytes) noexcept;
  void receive(const Edge& from, const Buffer& data, Bytes bytes) noexcept;

  /// Returns the MPI error code, raised on `comm` already.
  int run(MPI_Comm comm);

 private:
  struct Block {
    int rank;
    Buffer data;
    Bytes bytes;
  };
  class Packing;

  [[nodiscard]] bool bundled(int from, int to, Bytes bytes) const noexcept {
    return from != to && bytes < straight_from_ &&
           schedule::bruck_takes({.ranks = shadow_.ranks(), .reach = way_.reach, .stride = way_.stride}, from, to);
  }
  int route();

  ShadowComm& shadow_;
  select::Way way_;
  Bytes straight_from_;
  Exchange straight_;
  std::vector<Block> out_, in_;  ///< The latter by rank.
};

}  // namespace heddle::mpi
