// transport/join.hpp: the processes of a node get access to each other's memory, either by one file
// that all have opened, or by a file of each process.
//
//   together   gather   who I am, what I have            → each process knows its peers
//              socket   my descriptor to each, one from each
//              mmap, a trial of each transport           → what works from here
//              gather   what works from each to each     → both ends of a pair keep it, or neither
//              gather   if anything failed: why           → one sentence for all
//
//   attached   gather   who I am
//              a trial of each transport with the next one
//              gather   whether it works                 → if all do, every pair works; else as together, from there on
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "transport/complaint.hpp"
#include "transport/join_node.hpp"

namespace heddle::transport {

class Join {
 public:
  /// Allocates all memory that a join needs. Throws std::bad_alloc.
  explicit Join(JoinedNode& node);

  void alone();
  void together(const Gather& gather);
  /// For processes that have opened one file, and are of one user and in one pid namespace.
  void attached(const Gather& gather);

 private:
  /// The findings of one process about one peer: bits.
  using Works = std::uint16_t;
  static constexpr Works maps = 1;       ///< Its node memory is mapped here.
  static constexpr Works complains = 2;  ///< About itself: something has failed.
  /// That transport reaches its memory from here.
  static constexpr Works reaches(std::size_t tried) { return static_cast<Works>(4U << tried); }
  static_assert(tried_transports <= 14);

  struct Announcement {
    Secret name{};           // of the mailbox
    Secret key{};            // its datagrams carry it, and a probe must find it at `key_at`
    Secret nonce{};          // that of process 0 becomes the node's
    void* key_at = nullptr;  // an address there
    std::int64_t process = 0;
    std::int64_t user = 0;
    std::uint64_t process_space = 0;  // namespaces, 0: unknown
    std::uint64_t network_space = 0;
    Bytes memory = 0;
    Bytes shared = 0;
    std::int32_t joins = 0;    // has memory and a socket
    std::uint32_t offers = 0;  // bits: transports that have offered this process's memory
    std::array<Ticket, tried_transports> tickets{};
  };

  JoinedNode::Peer& own() { return node_.peers_[me()]; }
  [[nodiscard]] std::size_t me() const { return static_cast<std::size_t>(node_.me_); }
  [[nodiscard]] const Announcement& of(std::size_t peer) const { return announcements_[peer]; }
  [[nodiscard]] bool is_me(std::size_t peer) const { return peer == me(); }
  [[nodiscard]] bool same_processes(std::size_t peer) const { return of(peer).process_space == announcement_.process_space; }

  void introduce_myself();
  void offer_memory();
  void fail(Stage stage, int error);
  int create();
  void agree_on_sizes();
  void take_descriptors();
  void unwrap(std::size_t peer, ReceivedFile& received);
  /// 0 or errno.
  [[nodiscard]] int read_key_of(std::size_t peer, Transport& transport) const;
  /// Calls body(transport, its number among the tried ones).
  template <class Body>
  void each_tried(const Body& body) const;
  /// True: this process and that peer have both offered their memory by this transport.
  [[nodiscard]] bool both_offer(std::size_t peer, std::size_t tried) const;
  /// Gives the peer's tickets to the transports.
  void meet(std::size_t peer);
  void probe();
  void compare(const Gather& gather);
  void keep_what_works();
  void complain();
  void give_up();
  static void drop(JoinedNode::Peer& peer);

  JoinedNode& node_;
  Announcement announcement_;
  DescriptorSocket socket_;
  Finding mine_;
  std::vector<Announcement> announcements_;
  std::vector<FilePeer> file_peers_;
  std::vector<Works> works_;            // by peer
  std::unique_ptr<Works[]> all_works_;  // of each about each; never touched if all have one file
  std::vector<Verdict> verdicts_;
  std::unique_ptr<std::byte[]> all_verdicts_;  // never touched if nothing fails
};

}  // namespace heddle::transport
