// transport/node.cpp: the join: announce, hand over descriptors, map, probe, agree.
//
//   gather   who I am, what I have            → everybody knows whom to expect
//   socket   my descriptor to each, one from each
//   mmap, process_vm_readv                    → what works from here
//   gather   what works from each to each     → both ends of a pair keep it, or neither
//   gather   if anything failed: why           → one sentence for all
#include "transport/node.hpp"

#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>

#include "transport/cma.hpp"
#include "transport/complaint.hpp"

namespace heddle::transport {
namespace {

struct Announcement {
  Secret name{};           // of the mailbox
  Secret key{};            // what its datagrams carry, and what a probe must find at `key_at`
  Secret nonce{};          // that of process 0 becomes the node's
  void* key_at = nullptr;  // an address there
  std::int64_t process = 0;
  std::int64_t user = 0;
  std::uint64_t process_space = 0;  // namespaces, 0: unknown
  std::uint64_t network_space = 0;
  Bytes memory = 0;
  Bytes shared = 0;
  std::int32_t joins = 0;  // has memory and a socket
  std::int32_t probes = 0;
};

/// Where in its file a process with so much node memory keeps what it hands out.
constexpr Bytes shared_from(Bytes memory) { return round_up(memory + Node::region_table, huge_page); }

std::uint64_t space(const char* path) {
  struct stat facts {};
  return stat(path, &facts) == 0 ? facts.st_ino : 0;
}

/// What one process has found about one peer.
enum Works : std::uint8_t {
  maps = 1,      ///< Its node memory is mapped here.
  reads = 2,     ///< process_vm_readv works from here to there.
  complains = 4  ///< Said by a process of itself: something has failed.
};

Bytes physical_memory() { return static_cast<Bytes>(sysconf(_SC_PHYS_PAGES)) * page_size(); }

}  // namespace

/// The constructor of Node, in steps.
class Join {
 public:
  explicit Join(Node& node)
      : node_(node),
        announcements_(node.peers_.size()),
        file_peers_(node.peers_.size()),
        works_(node.peers_.size()),
        all_works_(node.peers_.size() * node.peers_.size()),
        verdicts_(node.peers_.size()),
        all_verdicts_(std::make_unique_for_overwrite<std::byte[]>(all_works_.size() * sizeof(Verdict))) {}

  void alone() {
    announce_myself();
    if (mine_.failed) node_.why_ = describe(std::span(&mine_, 1), 1, node_.options_.timeout_ms);
    node_.memory_size_ = own().memory.base() ? own().own_size : 0;
    node_.nonce_ = announcement_.nonce;
  }

  void together(const Gather& gather) {
    announce_myself();
    if (!gather(&announcement_, sizeof announcement_, announcements_.data())) return give_up();
    agree_on_sizes();
    try {
      take_descriptors();
      probe();
    } catch (const std::exception&) {
      fail(Stage::memory, ENOMEM);  // whoever was reached is dropped, and knows it from what follows
      std::ranges::fill(works_, std::uint8_t{0});
    }
    const auto me = static_cast<std::size_t>(node_.me_);
    verdicts_[me].memory = mine_;
    const auto failed = [](const Verdict& verdict) { return verdict.memory.failed || verdict.read.failed; };
    works_[me] = std::ranges::any_of(verdicts_, failed) ? Works::complains : 0;
    if (!gather(works_.data(), works_.size(), all_works_.data())) return give_up();
    keep_what_works();
    // Hardly ever: whole findings of each about each are much where there are many processes.
    if (std::ranges::none_of(all_works_, [](std::uint8_t works) { return (works & Works::complains) != 0; })) return;
    if (!gather(verdicts_.data(), verdicts_.size() * sizeof(Verdict), all_verdicts_.get())) return give_up();
    complain();
  }

 private:
  Node::Peer& own() { return node_.peers_[static_cast<std::size_t>(node_.me_)]; }
  [[nodiscard]] const Announcement& of(std::size_t peer) const { return announcements_[peer]; }
  [[nodiscard]] bool is_me(std::size_t peer) const { return static_cast<int>(peer) == node_.me_; }
  [[nodiscard]] bool same_processes(std::size_t peer) const { return of(peer).process_space == announcement_.process_space; }

  void announce_myself() {
    const NodeOptions& options = node_.options_;
    announcement_.key = random_secret();
    announcement_.nonce = random_secret();
    announcement_.key_at = &announcement_.key;
    announcement_.process = own().process = getpid();
    announcement_.user = getuid();
    announcement_.process_space = space("/proc/self/ns/pid");
    announcement_.network_space = space("/proc/self/ns/net");
    announcement_.probes = options.allow_cma ? 1 : 0;
    // Where the Yama module restricts ptrace, and with it process_vm_readv, to parents, this lifts it for the user's processes.
    if (options.allow_cma && node_.size() > 1) prctl(PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
    if (!options.allow_mapped && !options.allow_cma && !options.allow_ring) return;
    if (const int error = create()) return fail(Stage::memory, error);
    if (node_.size() == 1) return;
    if (const int error = socket_.open()) return fail(Stage::socket, error);
    announcement_.name = socket_.name();
    announcement_.memory = own().own_size;
    announcement_.shared = own().shared;
    announcement_.joins = 1;
  }

  void fail(Stage stage, int error) {
    mine_ = {.stage = stage, .failed = 1, .error = static_cast<std::int16_t>(error)};
    own().memory.unmap();
    own().file.close();
  }

  int create() {
    const NodeOptions& options = node_.options_;
    const Bytes memory = round_up(std::max(options.memory, huge_page), huge_page);
    Bytes shared = options.shared < 0 ? physical_memory() : options.shared;
    shared = options.allow_mapped ? round_up(shared, huge_page) : 0;
    shared = std::min(shared, std::max<Bytes>(0, largest_file() - shared_from(memory)) / huge_page * huge_page);
    if (const int error = create_memory(shared_from(memory) + shared, own().file)) return error;
    if (const int error = own().memory.map(own().file.get(), 0, memory + Node::region_table, Mapping::Access::write))
      return error;
    own().own_size = memory;
    own().shared = shared;
    return prefault_owned(own().memory.base(), prefaulted(memory)) ? 0 : ENOMEM;
  }

  [[nodiscard]] Bytes prefaulted(Bytes memory) const {
    return std::clamp<Bytes>(node_.options_.prefault / page_size() * page_size(), 0, memory);
  }

  void agree_on_sizes() {
    node_.nonce_ = of(0).nonce;
    for (const Announcement& peer : announcements_)
      if (peer.joins && (node_.memory_size_ == 0 || peer.memory < node_.memory_size_)) node_.memory_size_ = peer.memory;
    if (node_.memory_size_ == 0 && own().memory.base()) node_.memory_size_ = own().own_size;
  }

  void take_descriptors() {
    for (std::size_t peer = 0; peer < announcements_.size(); ++peer) {
      const Announcement& theirs = of(peer);
      node_.peers_[peer].process = is_me(peer) || same_processes(peer) ? static_cast<pid_t>(theirs.process) : 0;
      if (is_me(peer) || !announcement_.joins || !theirs.joins) continue;
      if (theirs.network_space != announcement_.network_space) {
        verdicts_[peer].memory = {.stage = Stage::network, .failed = 1, .error = ENETUNREACH};
        continue;
      }
      file_peers_[peer] = {.expected = true,
                           .name = theirs.name,
                           .key = theirs.key,
                           .user = static_cast<uid_t>(theirs.user),
                           .process = node_.peers_[peer].process};
    }
    if (!announcement_.joins) return;
    std::vector<ReceivedFile> files =
        socket_.exchange(node_.me_, announcement_.key, file_peers_, own().file.get(), node_.options_.timeout_ms);
    for (std::size_t peer = 0; peer < files.size(); ++peer)
      if (file_peers_[peer].expected) unwrap(peer, files[peer]);
  }

  void unwrap(std::size_t peer, ReceivedFile& received) {
    Finding& finding = verdicts_[peer].memory;
    if (received.error != 0) {
      finding = {.stage = Stage::descriptor, .failed = 1, .error = static_cast<std::int16_t>(received.error)};
      return;
    }
    Node::Peer& theirs = node_.peers_[peer];
    const Announcement& said = of(peer);
    if (theirs.process == 0) theirs.process = received.process;
    int error = check_memory(received.descriptor.get(), shared_from(said.memory) + said.shared);
    if (error == 0)
      error = theirs.memory.map(received.descriptor.get(), 0, said.memory + Node::region_table, Mapping::Access::write);
    if (error != 0) {
      finding = {.stage = Stage::map, .failed = 1, .error = static_cast<std::int16_t>(error)};
      return;
    }
    prefault_mapped(theirs.memory.base(), prefaulted(said.memory));
    theirs.own_size = said.memory;
    theirs.shared = announcement_.shared > 0 ? said.shared : 0;
    if (theirs.shared > 0) theirs.file = std::move(received.descriptor);
    works_[peer] |= Works::maps;
  }

  void probe() {
    if (!announcement_.probes) return;
    for (std::size_t peer = 0; peer < announcements_.size(); ++peer) {
      if (is_me(peer) || !of(peer).probes || verdicts_[peer].memory.error == EACCES)
        continue;  // whose number it is, is not sure
      Secret found{};
      const iovec local{&found, sizeof found};
      const iovec remote{of(peer).key_at, sizeof found};
      int error = ESRCH;  // in a pid namespace that cannot be seen from here
      if (node_.peers_[peer].process != 0)
        error = cma::read(node_.peers_[peer].process, std::span(&local, 1), std::span(&remote, 1)).error;
      if (error == 0 && found != of(peer).key) error = ESRCH;  // another process has that number here
      if (error == 0)
        works_[peer] |= Works::reads;
      else
        verdicts_[peer].read = {.stage = Stage::read, .failed = 1, .error = static_cast<std::int16_t>(error)};
    }
  }

  void keep_what_works() {
    const std::size_t size = node_.peers_.size();
    const auto me = static_cast<std::size_t>(node_.me_);
    for (std::size_t peer = 0; peer < size; ++peer) {
      if (is_me(peer)) continue;
      const std::uint8_t here = all_works_[me * size + peer];
      const std::uint8_t there = all_works_[peer * size + me];
      if (!(here & there & Works::maps)) drop(node_.peers_[peer]);
      node_.peers_[peer].readable = (here & Works::reads) != 0;
      node_.peers_[peer].reads_us = (there & Works::reads) != 0;
    }
  }

  void complain() {
    const std::size_t size = node_.peers_.size();
    std::vector<Finding> findings;
    for (std::size_t pair = 0; pair < size * size; ++pair) {
      Verdict verdict;
      std::memcpy(&verdict, all_verdicts_.get() + pair * sizeof verdict, sizeof verdict);
      for (Finding finding : {verdict.memory, verdict.read}) {
        finding.from = static_cast<std::int32_t>(pair / size);
        finding.to = static_cast<std::int32_t>(pair % size);
        if (finding.failed) findings.push_back(finding);
      }
    }
    node_.why_ = describe(findings, static_cast<int>(size), node_.options_.timeout_ms);
  }

  static void drop(Node::Peer& peer) {
    peer.memory.unmap();
    peer.file.close();
    peer.shared = 0;
  }

  void give_up() {
    for (Node::Peer& peer : node_.peers_) {
      drop(peer);
      peer.readable = peer.reads_us = false;
    }
    node_.memory_size_ = 0;
    node_.why_ =
        "cannot exchange addresses among the processes of the node: the MPI library refused; messages inside the node go "
        "through it.";
  }

  Node& node_;
  Announcement announcement_;
  DescriptorSocket socket_;
  Finding mine_;
  std::vector<Announcement> announcements_;
  std::vector<FilePeer> file_peers_;
  std::vector<std::uint8_t> works_;      // by peer, see Works
  std::vector<std::uint8_t> all_works_;  // of each about each
  std::vector<Verdict> verdicts_;
  std::unique_ptr<std::byte[]> all_verdicts_;  // not even touched where nothing fails
};

Node::Node(int me, int size, const NodeOptions& options)
    : me_(me), options_(options), peers_(static_cast<std::size_t>(size)), joining_(std::make_unique<Join>(*this)) {}

Node::~Node() = default;

void Node::join(const Gather& gather) noexcept try {
  const std::unique_ptr<Join> joining = std::move(joining_);
  if (size() == 1)
    joining->alone();
  else
    joining->together(gather);
} catch (const std::exception&) {
  // All has been agreed on; there is no memory for the sentence.
}

Node::File Node::file(int peer) const noexcept {
  const Peer& theirs = peer_at(peer);
  if (!theirs.memory.base()) return {};
  return {.descriptor = theirs.file.get(),
          .table = theirs.memory.base() + theirs.own_size,
          .shared_from = heddle::transport::shared_from(theirs.own_size),
          .shared = theirs.file ? theirs.shared : 0};
}

}  // namespace heddle::transport
