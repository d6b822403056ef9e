// transport/join.cpp: the steps of a join, and the failure that ends it.
#include "transport/join.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <span>

#include "transport/machine.hpp"

namespace heddle::transport {

template <class Body>
void Join::each_tried(const Body& body) const {
  std::size_t tried = 0;
  for (const TransportEntry& entry : transports) {
    if (!entry.can.any_memory()) continue;
    for (const auto& transport : node_.transports_.all())
      if (&transport->entry() == &entry) body(*transport, tried);
    ++tried;
  }
}

namespace {

Finding failure(Stage stage, int error, const Transport& transport) {
  return {.stage = stage,
          .failed = 1,
          .error = static_cast<std::int16_t>(error),
          .transport = static_cast<std::uint32_t>(index_of(transport.entry()))};
}

}  // namespace

Join::Join(JoinedNode& node)
    : node_(node),
      announcements_(node.peers_.size()),
      file_peers_(node.peers_.size()),
      works_(node.peers_.size()),
      all_works_(std::make_unique_for_overwrite<Works[]>(works_.size() * works_.size())),
      verdicts_(node.peers_.size()),
      all_verdicts_(std::make_unique_for_overwrite<std::byte[]>(works_.size() * works_.size() * sizeof(Verdict))) {}

void Join::alone() {
  introduce_myself();
  offer_memory();
  if (mine_.failed) node_.why_ = describe(std::span(&mine_, 1), 1, node_.options_.timeout_ms);
  node_.memory_size_ = own().base ? own().own_size : 0;
  node_.nonce_ = announcement_.nonce;
}

void Join::together(const Gather& gather) {
  introduce_myself();
  offer_memory();
  if (!gather(&announcement_, sizeof announcement_, announcements_.data())) return give_up();
  agree_on_sizes();
  try {
    take_descriptors();
    probe();
  } catch (const std::exception&) {
    fail(Stage::memory, ENOMEM);  // peers that were reached are dropped; compare() tells them
    std::ranges::fill(works_, Works{0});
  }
  compare(gather);
}

// The system refuses a probe because of a property of the reader or of the process that is read.
// Each process probes its successor, so each is once in either role. If all these probes succeed,
// all pairs of the user's processes work.
void Join::attached(const Gather& gather) {
  introduce_myself();
  announcement_.memory = own().own_size;
  announcement_.shared = own().shared;
  announcement_.joins = 1;
  gather(&announcement_, sizeof announcement_, announcements_.data());
  agree_on_sizes();
  for (std::size_t peer = 0; peer < announcements_.size(); ++peer) {
    node_.peers_[peer].process = static_cast<pid_t>(of(peer).process);
    works_[peer] = maps;
  }
  Works allowed = 0;
  Works mine = 0;
  const std::size_t next = (me() + 1) % works_.size();
  meet(next);
  each_tried([&](Transport& transport, std::size_t tried) {
    allowed |= reaches(tried);
    if (both_offer(next, tried) && read_key_of(next, transport) == 0) mine |= reaches(tried);
  });
  if (allowed == 0) return;
  std::vector<Works>& all = works_;  // borrowed as a buffer, and restored below
  gather(&mine, sizeof mine, all.data());
  const bool everybody = std::ranges::all_of(all, [allowed](Works works) { return works == allowed; });
  std::ranges::fill(all, maps);
  if (!everybody) {
    probe();
    return compare(gather);
  }
  for (std::size_t peer = 0; peer < all.size(); ++peer) {
    if (is_me(peer)) continue;
    meet(peer);
    each_tried([&](Transport& transport, std::size_t) { transport.link(static_cast<int>(peer), true, true); });
  }
}

/// Both ends of a pair keep what works both ways, or neither does.
void Join::compare(const Gather& gather) {
  verdicts_[me()].memory = mine_;
  works_[me()] = std::ranges::any_of(verdicts_, &Verdict::failed) ? complains : 0;
  if (!gather(works_.data(), works_.size() * sizeof(Works), all_works_.get())) return give_up();
  keep_what_works();
  // Gather whole findings only if something failed: among many processes, findings of each about
  // each are large.
  const std::span all(all_works_.get(), works_.size() * works_.size());
  if (std::ranges::none_of(all, [](Works works) { return (works & complains) != 0; })) return;
  if (!gather(verdicts_.data(), verdicts_.size() * sizeof(Verdict), all_verdicts_.get())) return give_up();
  complain();
}

void Join::introduce_myself() {
  announcement_.key = random_secret();
  announcement_.nonce = random_secret();
  announcement_.key_at = &announcement_.key;
  announcement_.process = own().process = getpid();
  announcement_.user = getuid();
  announcement_.process_space = name_space("pid");
  announcement_.network_space = name_space("net");
  if (node_.size() == 1) return;
  each_tried([this](Transport& transport, std::size_t tried) {
    if (const int error = transport.offer(announcement_.tickets[tried]))
      verdicts_[me()].reach[tried] = failure(Stage::offer, error, transport);
    else
      announcement_.offers |= reaches(tried);
  });
}

void Join::offer_memory() {
  if (!node_.options_.has_memory()) return;
  if (const int error = create()) return fail(Stage::memory, error);
  if (node_.size() == 1) return;
  if (const int error = socket_.open()) return fail(Stage::socket, error);
  announcement_.name = socket_.name();
  announcement_.memory = own().own_size;
  announcement_.shared = own().shared;
  announcement_.joins = 1;
}

void Join::fail(Stage stage, int error) {
  mine_ = {.stage = stage, .failed = 1, .error = static_cast<std::int16_t>(error)};
  own().base = nullptr;
  own().memory.unmap();
  own().file.close();
}

int Join::create() {
  const NodeOptions& options = node_.options_;
  const Bytes memory = options.memory_of_process();
  const Bytes room = std::max<Bytes>(0, largest_file() - shared_from(memory)) / huge_page * huge_page;
  const Bytes shared = std::min(options.shared_of_process(), room);
  if (const int error = create_memory(shared_from(memory) + shared, own().file)) return error;
  if (const int error = own().memory.map(own().file.get(), 0, memory + region_table, Mapping::Access::none)) return error;
  own().base = own().memory.base();
  own().own_size = memory;
  own().shared = shared;
  if (!node_.open_first(own())) return ENOMEM;
  return prefault_owned(own().base, options.prefaulted(memory)) ? 0 : ENOMEM;
}

void Join::agree_on_sizes() {
  node_.nonce_ = of(0).nonce;
  for (const Announcement& peer : announcements_)
    if (peer.joins && (node_.memory_size_ == 0 || peer.memory < node_.memory_size_)) node_.memory_size_ = peer.memory;
  if (node_.memory_size_ == 0 && own().base) node_.memory_size_ = own().own_size;
}

void Join::take_descriptors() {
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

void Join::unwrap(std::size_t peer, ReceivedFile& received) {
  Finding& finding = verdicts_[peer].memory;
  if (received.error != 0) {
    finding = {.stage = Stage::descriptor, .failed = 1, .error = static_cast<std::int16_t>(received.error)};
    return;
  }
  JoinedNode::Peer& theirs = node_.peers_[peer];
  const Announcement& said = of(peer);
  if (theirs.process == 0) theirs.process = received.process;
  int error = check_memory(received.descriptor.get(), shared_from(said.memory) + said.shared);
  if (error == 0) error = theirs.memory.map(received.descriptor.get(), 0, said.memory + region_table, Mapping::Access::none);
  if (error == 0) {
    theirs.base = theirs.memory.base();
    theirs.own_size = said.memory;
    if (!node_.open_first(theirs)) error = ENOMEM;
  }
  if (error != 0) {
    finding = {.stage = Stage::map, .failed = 1, .error = static_cast<std::int16_t>(error)};
    return drop(theirs);
  }
  prefault_mapped(theirs.base, node_.options_.prefaulted(said.memory));
  theirs.shared = announcement_.shared > 0 ? said.shared : 0;
  if (theirs.shared > 0) theirs.file = std::move(received.descriptor);
  works_[peer] |= maps;
}

int Join::read_key_of(std::size_t peer, Transport& transport) const {
  Secret found{};
  const iovec local{&found, sizeof found};
  const iovec remote{of(peer).key_at, sizeof found};
  if (transport.entry().can.copy) {
    if (const int error = transport.pull(static_cast<int>(peer), std::span(&local, 1), std::span(&remote, 1)).error)
      return error;
  } else {
    const MappedBuffer key =
        transport.map({static_cast<int>(peer), static_cast<const std::byte*>(of(peer).key_at), sizeof found});
    if (!key.address()) return EFAULT;
    std::memcpy(&found, key.address(), sizeof found);
  }
  return found != of(peer).key ? ESRCH : 0;  // the number means another process here
}

bool Join::both_offer(std::size_t peer, std::size_t tried) const {
  return (of(peer).offers & announcement_.offers & reaches(tried)) != 0;
}

void Join::meet(std::size_t peer) {
  each_tried([&](Transport& transport, std::size_t tried) {
    transport.meet(static_cast<int>(peer), node_.peers_[peer].process, of(peer).tickets[tried]);
  });
}

void Join::probe() {
  for (std::size_t peer = 0; peer < announcements_.size(); ++peer) {
    if (is_me(peer) || verdicts_[peer].memory.error == EACCES) continue;  // its number is in doubt
    meet(peer);
    each_tried([&](Transport& transport, std::size_t tried) {
      if (!both_offer(peer, tried)) return;
      if (const int error = read_key_of(peer, transport))
        verdicts_[peer].reach[tried] = failure(Stage::reach, error, transport);
      else
        works_[peer] |= reaches(tried);
    });
  }
}

void Join::keep_what_works() {
  const std::size_t size = node_.peers_.size();
  for (std::size_t peer = 0; peer < size; ++peer) {
    if (is_me(peer)) continue;
    const Works here = all_works_[me() * size + peer];
    const Works there = all_works_[peer * size + me()];
    if (!(here & there & maps)) drop(node_.peers_[peer]);
    each_tried([&](Transport& transport, std::size_t tried) {
      transport.link(static_cast<int>(peer), (here & reaches(tried)) != 0, (there & reaches(tried)) != 0);
    });
  }
}

void Join::complain() {
  const std::size_t size = node_.peers_.size();
  std::vector<Finding> findings;
  for (std::size_t pair = 0; pair < size * size; ++pair) {
    Verdict verdict;
    std::memcpy(&verdict, all_verdicts_.get() + pair * sizeof verdict, sizeof verdict);
    const auto add = [&](Finding finding) {
      finding.from = static_cast<std::int32_t>(pair / size);
      finding.to = static_cast<std::int32_t>(pair % size);
      if (finding.failed) findings.push_back(finding);
    };
    add(verdict.memory);
    for (const Finding& finding : verdict.reach) add(finding);
  }
  node_.why_ = describe(findings, static_cast<int>(size), node_.options_.timeout_ms);
}

void Join::drop(JoinedNode::Peer& peer) {
  peer.base = nullptr;
  peer.opened = 0;
  peer.memory.unmap();
  peer.file.close();
  peer.shared = 0;
}

void Join::give_up() {
  for (JoinedNode::Peer& peer : node_.peers_) drop(peer);
  for (const auto& transport : node_.transports_.all())
    for (int peer = 0; peer < node_.size(); ++peer) transport->link(peer, false, false);
  node_.memory_size_ = 0;
  node_.why_ =
      "cannot exchange addresses among the processes of the node: the MPI library refused; messages inside the node go "
      "through it.";
}

}  // namespace heddle::transport
