// transport/join_node.cpp: opens memory in steps, and owns the node's memory, its files and its
// transports.
#include "transport/join_node.hpp"

#include <algorithm>
#include <new>
#include <utility>

#include "transport/join.hpp"

namespace heddle::transport {

JoinedNode::JoinedNode(int me, int size, const NodeOptions& options)
    : me_(me),
      options_(options),
      peers_(static_cast<std::size_t>(size)),
      transports_(*this, options.allowed),
      joining_(std::make_unique<Join>(*this)) {}

JoinedNode::~JoinedNode() = default;

void JoinedNode::join(const Gather& gather) noexcept try {
  const std::unique_ptr<Join> joining = std::move(joining_);
  detach();
  if (size() == 1)
    joining->alone();
  else
    joining->together(gather);
  tell_transports();
} catch (const std::exception&) {
  // The processes have agreed; there is no memory for the sentence.
  tell_transports();
}

bool JoinedNode::attach(CommonFile& file, Assembly::KeepGoing keep_going) noexcept try {
  auto assembly = std::make_shared<Assembly>(me_, size(), keep_going);
  Mapping all;
  if (file.open(size()) != 0 || assembly->map(file.descriptor()) != 0 ||
      all.map(file.descriptor(), file.memory_at(0), file.front() - file.memory_at(0), Mapping::Access::none) != 0)
    return false;
  for (int peer = 0; peer < size(); ++peer) {
    Peer& theirs = peers_[static_cast<std::size_t>(peer)];
    theirs.base = all.base() + file.memory_at(peer) - file.memory_at(0);
    theirs.own_size = file.memory();
    theirs.shared = file.shared();
    if (!open_first(theirs)) return forget_peers();
  }
  if (!prefault_owned(peers_[static_cast<std::size_t>(me_)].base, options_.prefaulted(file.memory()))) return forget_peers();
  assembly_ = std::move(assembly);
  common_memory_ = std::move(all);
  common_ = std::move(file);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

bool JoinedNode::open_first(Peer& peer) const noexcept {
  peer.opened = options_.open_at_first(peer.own_size);
  return open_memory(peer.base, peer.opened) && open_memory(peer.base + peer.own_size, region_table);
}

bool JoinedNode::open_more(int peer, Bytes end) noexcept {
  Peer& theirs = peers_[static_cast<std::size_t>(peer)];
  if (!theirs.base || end > theirs.own_size) return false;
  const Bytes opened = std::min(round_up(end, huge_page), theirs.own_size);
  if (!open_memory(theirs.base, opened)) return false;
  std::atomic_ref(theirs.opened).store(opened, std::memory_order_relaxed);
  return true;
}

bool JoinedNode::forget_peers() noexcept {
  for (Peer& peer : peers_) peer = {};
  return false;
}

void JoinedNode::tell_transports() noexcept {
  for (const auto& transport : transports_.all()) transport->joined();
}

void JoinedNode::detach() noexcept {
  if (!assembly_) return;
  forget_peers();
  assembly_.reset();
  common_memory_.unmap();
  common_ = {};
}

void JoinedNode::join_attached() noexcept try {
  const std::unique_ptr<Join> joining = std::move(joining_);
  joining->attached([this](const void* mine, std::size_t bytes, void* all) {
    assembly_->gather(mine, bytes, all);
    return true;
  });
  tell_transports();
} catch (const std::exception&) {
  tell_transports();  // as above
}

JoinedNode::File JoinedNode::file(int peer) const noexcept {
  const Peer& theirs = peer_at(peer);
  if (!theirs.base) return {};
  const bool common = assembly_ != nullptr;
  return {.descriptor = common ? common_.descriptor() : theirs.file.get(),
          .table = theirs.base + theirs.own_size,
          .shared_from = common ? common_.shared_at(peer) : heddle::transport::shared_from(theirs.own_size),
          .shared = common || theirs.file ? theirs.shared : 0};
}

}  // namespace heddle::transport
