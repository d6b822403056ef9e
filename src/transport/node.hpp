// transport/node.hpp: the processes of one node, joined: each sees the others' node memory. No MPI
// in this room.
//
//   const Node node(rank_on_node, ranks_on_node, gather, {.memory = set.node_memory});
//   if (!node.why().empty()) say(node.why());          // the same sentence in every process
//   if (std::byte* theirs = node.memory(peer)) ...     // ordinary loads and stores from here on
//   if (node.can_read(peer)) cma::read(node.pid(peer), local, remote);
//
// Their memory is one memfd, which process 0 makes and the others open (common_file.hpp): what a process does then does not
// grow with the square of their number. Where that is refused each has a memfd of its own, mapped by all, and descriptors
// travel over an abstract socket that is closed when all have joined. Sparse, both: pages come with use. Nothing has a name in
// a file system: a killed process leaves nothing behind.
//
//   file of a process    0 ............ memory ............ huge page beyond ............... + shared
//                        node memory    table of regions    memory handed out (shared_memory.hpp)
//                        mapped by all at the join          mapped on demand
//
//   CommonFile file; ...                                       // as all have heard of it
//   Node node(me, size, options);
//   const bool attached = file.offered() && node.attach(file);
//   if (attached in all processes) node.join_attached(); else node.join(gather);
#pragma once

#include <sys/types.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "transport/assembly.hpp"
#include "transport/common_file.hpp"
#include "transport/handover.hpp"
#include "transport/node_options.hpp"
#include "transport/region.hpp"

namespace heddle::transport {

/// Allgather of equal records among the processes of a node, handed in: PMPI_Allgather from mpi/, pipes in tests. Collective:
/// true in all processes or in none.
using Gather = std::function<bool(const void* mine, std::size_t bytes, void* all)>;

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

  /// Maps the file of all. False: refused; nothing has changed, and join() is what is left, for all.
  [[nodiscard]] bool attach(CommonFile& file, Assembly::KeepGoing keep_going = nullptr) noexcept;
  /// Instead of join(), collective, where all processes have attached: nobody is asked for anything.
  void join_attached() noexcept;
  /// Among processes that have attached; null: they have not.
  [[nodiscard]] const std::shared_ptr<Assembly>& assembly() const noexcept { return assembly_; }

  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;
  ~Node();

  [[nodiscard]] int me() const noexcept { return me_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(peers_.size()); }

  /// Where that peer's node memory begins in this process, page-aligned (from 2 MiB on: to a huge page); null: not mapped. If
  /// it is null here, ours is null there. memory(me()): our own, null if the system gave none. Zero at first.
  [[nodiscard]] std::byte* memory(int peer) const noexcept { return peer_at(peer).base; }
  /// Makes the first `end` bytes of that peer's node memory accessible here; at once, if they are. Other bytes take no pages,
  /// even after mlockall(). False: it has no such bytes, or the system refuses.
  [[nodiscard]] bool open(int peer, Bytes end) noexcept {
    return end <= std::atomic_ref(peers_[static_cast<std::size_t>(peer)].opened).load(std::memory_order_relaxed) ||
           open_more(peer, end);
  }
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
  [[nodiscard]] File file(int peer) const noexcept;

 private:
  struct Peer {
    std::byte* base = nullptr;  ///< Of its node memory; null: not mapped.
    Mapping memory;             ///< That and its table of regions, if its file is its own.
    Descriptor file;
    Bytes own_size = 0;  ///< Of its node memory, as it asked for it: its table of regions comes next.
    Bytes opened = 0;    ///< The first bytes of its node memory are accessible here. Stored by any thread.
    Bytes shared = 0;
    pid_t process = 0;
    bool readable = false;
    bool reads_us = false;
  };
  friend class Join;

  /// Makes the first bytes of a peer's node memory accessible, and its table of regions.
  [[nodiscard]] bool open_first(Peer& peer) const noexcept;
  bool open_more(int peer, Bytes end) noexcept;
  /// False.
  bool forget_peers() noexcept;
  void detach() noexcept;
  [[nodiscard]] const Peer& peer_at(int peer) const noexcept { return peers_[static_cast<std::size_t>(peer)]; }

  int me_;
  NodeOptions options_;
  Bytes memory_size_ = 0;
  Secret nonce_{};
  std::string why_;
  std::vector<Peer> peers_;
  CommonFile common_;
  Mapping common_memory_;
  std::shared_ptr<Assembly> assembly_;
  std::unique_ptr<Join> joining_;  // until joined: what it takes, so that joining needs no memory before peers know of us
};

}  // namespace heddle::transport
