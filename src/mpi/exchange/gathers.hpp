// mpi/exchange/gathers.hpp: one block of each rank to all, or to its neighbours, pair by pair. Includes blocks.hpp, node.hpp.
//
//   Exchange exchange(*own, GatherNeighbours::sends(*own), GatherNeighbours::receives(*own));
//   if (!GatherNeighbours::fill(*own, send, receive, exchange)) return {};      // Buffer -> Buffer, or Buffer -> VArgument
//
// All messages can be posted at once, which is what a non-blocking call needs: a schedule in which ranks hand on what has come
// to them would stand still while the program is in a call of the host's, and others may be waiting for it there.
#pragma once

#include "mpi/exchange/blocks.hpp"
#include "mpi/node/node.hpp"

namespace heddle::mpi::blocks {

/// MPI_Neighbor_allgather, MPI_Neighbor_allgatherv: each edge out takes the same block.
struct GatherNeighbours : Edges {
  static constexpr bool gathers = true;
  template <class Given>
  static bool fill(const ShadowComm& own, const Buffer& send, const Given& receive, Exchange& exchange) noexcept {
    Ruler out;
    Ruler in;
    Buffer data;
    Bytes bytes = 0;
    for (std::size_t i = 0; i < own.in().size(); ++i) {
      if (!block_of(receive, static_cast<int>(i), in, data, bytes)) return false;
      exchange.receive(own.in()[i], data, bytes);
    }
    if (own.out().empty()) return true;
    if (!block_of(send, 0, out, data, bytes)) return false;
    for (const Edge& edge : own.out()) exchange.send(edge, data, bytes);
    return true;
  }
};

/// MPI_Iallgatherv and MPI_Allgatherv_init on one node, where a block that is announced is fetched from the sender's memory by
/// each receiver for itself.
struct GatherAll : Ranks {
  static constexpr bool gathers = true;
  /// Bytes of all blocks: below, messages' latencies are all there is.
  static constexpr Bytes direct_from = 64 << 10;

  /// All of MPI_COMM_WORLD on one node: all ranks know that alike.
  static bool of(const ShadowComm& /*own*/) noexcept {
    const Node* node = Node::here();
    int ranks = 0;
    return node && PMPI_Comm_size(MPI_COMM_WORLD, &ranks) == MPI_SUCCESS && node->size() == ranks;
  }
  /// On all ranks alike: they know the same counts.
  static bool worth(const ShadowComm& own, const Buffer& /*send*/, const VArgument& receive) noexcept {
    Ruler ruler;
    Buffer data;
    Bytes bytes = 0;
    Bytes all = 0;
    for (int i = 0; i < own.ranks(); ++i)
      if (!block_of(receive, i, ruler, data, bytes) || __builtin_add_overflow(all, bytes, &all)) return true;
    return all >= direct_from;
  }
  static bool fill(const ShadowComm& own, const Buffer& send, const VArgument& receive, Exchange& exchange) noexcept {
    const bool in_place = send.address == MPI_IN_PLACE;
    const int ranks = own.ranks();
    Ruler out;
    Ruler in;
    Buffer data;
    Bytes bytes = 0;
    Bytes mine = 0;
    for (int k = 0; k < ranks; ++k) {
      const int from = (own.me() + ranks - k) % ranks;
      if (!block_of(receive, from, in, data, bytes)) return false;
      if (k == 0) mine = bytes;
      if (k > 0 || !in_place) exchange.receive({from, 0}, data, bytes);
    }
    if (!in_place && !block_of(send, 0, out, data, bytes)) return false;
    // Who sends nothing where others expect something makes a mistake, but they wait for a message.
    if (in_place || (bytes == 0 && mine > 0)) block_of(receive, own.me(), in, data, bytes);
    for (int k = in_place ? 1 : 0; k < ranks; ++k) exchange.send({(own.me() + k) % ranks, 0}, data, bytes);
    return true;
  }
};

}  // namespace heddle::mpi::blocks
