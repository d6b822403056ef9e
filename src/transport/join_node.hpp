// transport/join_node.hpp: joins the processes of one node, so that each sees the others' node
// memory. No MPI in this room.
//
//   const JoinedNode node(rank_on_node, ranks_on_node, gather, {.memory = set.node_memory});
//   if (!node.why().empty()) say(node.why());          // the same sentence in every process
//   if (std::byte* theirs = node.memory(peer)) ...     // ordinary loads and stores from here on
//   if (const Copier copier = node.transports().copier(peer)) copier.pull(local, remote);
//
// Node memory is one memfd, which process 0 makes and the others open (common_file.hpp). So the
// work of a join does not grow with the square of the number of processes. If the system refuses
// that, each process makes a memfd of its own, which all map. Its descriptor then travels over an
// abstract socket, which is closed when all have joined. Both kinds of file are sparse: pages come
// with use. Nothing has a name in a file system, so a killed process leaves nothing behind.
//
//   file of a process    0 ............ memory ............ huge page beyond ............... + shared
//                        node memory    table of regions    memory handed out (shared_memory.hpp)
//                        mapped by all at the join          mapped on demand
//
//   CommonFile file; ...                                       // all have heard its offer
//   JoinedNode node(me, size, options);
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
#include "transport/transport_list.hpp"

namespace heddle::transport {

/// Allgather of records of equal size among the processes of a node. The caller hands it in:
/// PMPI_Allgather from mpi/, pipes in tests. It is collective, and returns true in all processes or
/// in none.
using Gather = std::function<bool(const void* mine, std::size_t bytes, void* all)>;

class Join;

class JoinedNode {
 public:
  /// Not joined yet: no peer is reachable. Throws std::bad_alloc. A rank that then does not join
  /// would leave its peers waiting, so ranks must first agree that all have a JoinedNode.
  JoinedNode(int me, int size, const NodeOptions& options = {});
  /// Collective over the node's processes, once. Every process calls gather twice, and a third time
  /// if anything failed (never, if size is 1). A refused system call, or too little memory, never
  /// throws. That peer, or every peer, is then not reachable, and why() gives the reason. Both ends
  /// of a pair decide the same.
  void join(const Gather& gather) noexcept;
  /// Constructs and joins.
  JoinedNode(int me, int size, const Gather& gather, const NodeOptions& options = {}) : JoinedNode(me, size, options) {
    join(gather);
  }

  /// Maps the common file. False: the system refused and nothing has changed. All processes must
  /// then use join().
  [[nodiscard]] bool attach(CommonFile& file, Assembly::KeepGoing keep_going = nullptr) noexcept;
  /// Collective, in place of join(), if all processes have attached. It uses the common file alone,
  /// no gather of the caller's.
  void join_attached() noexcept;
  /// Null unless the processes have attached.
  [[nodiscard]] const std::shared_ptr<Assembly>& assembly() const noexcept { return assembly_; }

  JoinedNode(const JoinedNode&) = delete;
  JoinedNode& operator=(const JoinedNode&) = delete;
  ~JoinedNode();

  [[nodiscard]] int me() const noexcept { return me_; }
  [[nodiscard]] int size() const noexcept { return static_cast<int>(peers_.size()); }

  /// The address of that peer's node memory in this process, aligned to a page, from 2 MiB on to a
  /// huge page. Null: not mapped. If it is null here, ours is null there. memory(me()) is our own,
  /// null if the system gave none. The memory is zero at first.
  [[nodiscard]] std::byte* memory(int peer) const noexcept { return peer_at(peer).base; }
  /// Makes the first `end` bytes of that peer's node memory accessible here. Returns at once if
  /// they already are. Other bytes take no pages, even after mlockall(). False: the peer has no
  /// such bytes, or the system refuses.
  [[nodiscard]] bool open(int peer, Bytes end) noexcept {
    return end <= std::atomic_ref(peers_[static_cast<std::size_t>(peer)].opened).load(std::memory_order_relaxed) ||
           open_more(peer, end);
  }
  /// The least size that any process asked for: the same number in all processes.
  [[nodiscard]] Bytes memory_size() const noexcept { return memory_size_; }

  /// The transports to the memory of peers.
  [[nodiscard]] const TransportList& transports() const noexcept { return transports_; }
  /// The peer's number in this process's pid namespace; 0: not known.
  [[nodiscard]] pid_t pid(int peer) const noexcept { return peer_at(peer).process; }

  /// 128 random bits that only the processes of this node know.
  [[nodiscard]] const Secret& nonce() const noexcept { return nonce_; }

  /// Empty if everything that was allowed works. Otherwise it names the failure, the reason and the
  /// consequence.
  [[nodiscard]] const std::string& why() const noexcept { return why_; }

  [[nodiscard]] const NodeOptions& options() const noexcept { return options_; }

  /// For shared_memory.hpp: the file of a process whose memory is mapped, and its parts.
  struct File {
    int descriptor = -1;         ///< -1: none.
    std::byte* table = nullptr;  ///< Its table of regions, mapped here: region_table bytes, zero at first.
    Bytes shared_from = 0;       ///< Offset in the file of the memory that it hands out, a multiple of a huge page.
    Bytes shared = 0;            ///< Size of that memory.
  };
  [[nodiscard]] File file(int peer) const noexcept;

 private:
  struct Peer {
    std::byte* base = nullptr;  ///< Address of its node memory; null: not mapped.
    Mapping memory;             ///< Node memory and table of regions, if the process has its own file.
    Descriptor file;
    Bytes own_size = 0;  ///< Size of its node memory, as it asked for it. Its table of regions comes next.
    Bytes opened = 0;    ///< The first bytes of its node memory are accessible here. Stored by any thread.
    Bytes shared = 0;
    pid_t process = 0;
  };
  friend class Join;

  /// Makes the first bytes of a peer's node memory accessible, and its table of regions.
  [[nodiscard]] bool open_first(Peer& peer) const noexcept;
  bool open_more(int peer, Bytes end) noexcept;
  /// False.
  bool forget_peers() noexcept;
  void tell_transports() noexcept;
  void detach() noexcept;
  [[nodiscard]] const Peer& peer_at(int peer) const noexcept { return peers_[static_cast<std::size_t>(peer)]; }

  int me_;
  NodeOptions options_;
  Bytes memory_size_ = 0;
  Secret nonce_{};
  std::string why_;
  std::vector<Peer> peers_;
  TransportList transports_;
  CommonFile common_;
  Mapping common_memory_;
  std::shared_ptr<Assembly> assembly_;
  std::unique_ptr<Join> joining_;  // memory for the join, so that joining allocates none before peers know of us
};

}  // namespace heddle::transport
