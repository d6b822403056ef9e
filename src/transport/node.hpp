// transport/node.hpp: the processes of one node, joined: each sees the others' node memory. No MPI in this room.
// May include: layout/bytes.hpp, and handover.hpp, region.hpp, cma.hpp of this room.
//
//   const Node node(rank_on_node, ranks_on_node, gather, {.memory = set.node_memory});
//   if (!node.why().empty()) say(node.why());          // the same sentence in every process
//   if (std::byte* theirs = node.memory(peer)) ...     // ordinary loads and stores from here on
//   if (node.can_read(peer)) cma::read(node.pid(peer), local, remote);
//
// Each process has one memfd, mapped by all: sparse, pages come with use. Descriptors travel over an abstract socket that is
// closed when the constructor returns. Nothing has a name in a file system: a killed process leaves nothing behind.
//
//   file of a process    0 ............ memory ............ huge page beyond ............... + shared
//                        node memory    table of regions    memory handed out (shared_memory.hpp)
//                        mapped by all at the join          mapped on demand
#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transport/handover.hpp"
#include "transport/region.hpp"

namespace heddle::transport {

/// Allgather of equal records among the processes of a node, handed in: PMPI_Allgather from mpi/, pipes in tests. Collective:
/// true in all processes or in none.
using Gather = std::function<bool(const void* mine, std::size_t bytes, void* all)>;

struct NodeOptions {
  Bytes memory = Bytes{256} << 20;  ///< Node memory of a process: address space, pages come with use.
  Bytes prefault = Bytes{2} << 20;  ///< Its first bytes, brought into being at the join.
  Bytes shared = -1;         ///< What allocate() may hand out, in all: address space. -1: as much as the node has memory.
  bool allow_mapped = true;  ///< Memory handed out by allocate() is mapped by peers. False: shared = 0.
  bool allow_cma = true;     ///< process_vm_readv may be used. False: it is not even tried.
  bool allow_ring = true;    ///< Segments in node memory. With none of the three there is no node memory.
  int timeout_ms = 10'000;   ///< Longest wait for peers' descriptors; with many processes on few cores it takes a while.
};

class Join;

class Node {
 public:
  /// Not joined yet: nobody is reachable. Throws std::bad_alloc; a rank that then does not join leaves its peers waiting, so
  /// agree that all have come so far.
  Node(int me, int size, const NodeOptions& options = {});
  /// Collective over the node's processes, once; every process calls gather twice (never, if size is 1). A refused system call,
  /// or too little memory, never throws: that peer, or all, is then not reachable, and why() says so. Both ends of a pair
  /// decide the same.
  void join(const Gather& gather) noexcept;
  /// Both.
  Node(int me, int size, const Gather& gather, const NodeOptions& options = {}) : Node(me, size, options) { join(gather); }
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  [[nodiscard]] int me() const noexcept { return me_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(peers_.size()); }

  /// Where that peer's node memory begins in this process, page-aligned (from 2 MiB on: to a huge page); null: not mapped. If
  /// it is null here, ours is null there. memory(me()): our own, null if the system gave none. Zero at first.
  [[nodiscard]] std::byte* memory(int peer) const noexcept { return peer_at(peer).memory.base(); }
  /// The same in all processes: the least that any asked for.
  [[nodiscard]] Bytes memory_size() const noexcept { return memory_size_; }

  /// Whether process_vm_readv was seen to work from here to that peer, and from that peer to here. Never of oneself.
  [[nodiscard]] bool can_read(int peer) const noexcept { return peer_at(peer).readable; }
  [[nodiscard]] bool can_be_read_by(int peer) const noexcept { return peer_at(peer).reads_us; }
  /// As seen from this process (pid namespaces); 0: not known.
  [[nodiscard]] pid_t pid(int peer) const noexcept { return peer_at(peer).process; }

  /// 128 random bits that all processes of this node share and nobody else knows.
  [[nodiscard]] const Secret& nonce() const noexcept { return nonce_; }

  /// Empty: everything that was allowed works. Else what does not, why, and what happens instead.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

  [[nodiscard]] const NodeOptions& options() const noexcept { return options_; }

  /// For shared_memory.hpp: the file of a process whose memory is mapped, and what else is in it.
  struct File {
    int descriptor = -1;         ///< -1: none.
    std::byte* table = nullptr;  ///< Its table of regions, mapped here: region_table bytes, zero at first.
    Bytes shared_from = 0;       ///< Where in the file the memory begins that it hands out, a multiple of a huge page,
    Bytes shared = 0;            ///< and how much there is.
  };
  static constexpr Bytes region_table = Bytes{512} << 10;
  [[nodiscard]] File file(int peer) const noexcept;

 private:
  struct Peer {
    Mapping memory;
    Descriptor file;
    Bytes own_size = 0;  ///< Of its node memory, as it asked for it: its table of regions comes next.
    Bytes shared = 0;
    pid_t process = 0;
    bool readable = false;
    bool reads_us = false;
  };
  friend class Join;

  [[nodiscard]] const Peer& peer_at(int peer) const noexcept { return peers_[static_cast<std::size_t>(peer)]; }

  int me_;
  NodeOptions options_;
  Bytes memory_size_ = 0;
  Secret nonce_{};
  std::string why_;
  std::vector<Peer> peers_;
  std::unique_ptr<Join> joining_;  // until joined: what it takes, so that joining needs no memory before peers know of us
};

}  // namespace heddle::transport
