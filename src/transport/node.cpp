// transport/node.cpp
#include "transport/node.hpp"

#include <new>
#include <utility>

#include "transport/join.hpp"

namespace heddle::transport {

Node::Node(int me, int size, const NodeOptions& options)
    : me_(me), options_(options), peers_(static_cast<std::size_t>(size)), joining_(std::make_unique<Join>(*this)) {}

Node::~Node() = default;

void Node::join(const Gather& gather) noexcept try {
  const std::unique_ptr<Join> joining = std::move(joining_);
  detach();
  if (size() == 1)
    joining->alone();
  else
    joining->together(gather);
} catch (const std::exception&) {
  // All has been agreed on; there is no memory for the sentence.
}

bool Node::attach(CommonFile& file, Assembly::KeepGoing keep_going) noexcept try {
  auto assembly = std::make_shared<Assembly>(me_, size(), keep_going);
  Mapping all;
  if (file.open(size()) != 0 || assembly->map(file.descriptor()) != 0 ||
      all.map(file.descriptor(), file.memory_at(0), file.front() - file.memory_at(0), Mapping::Access::write) != 0)
    return false;
  std::byte* const mine = all.base() + file.memory_at(me_) - file.memory_at(0);
  if (!prefault_owned(mine, options_.prefaulted(file.memory()))) return false;
  for (int peer = 0; peer < size(); ++peer) {
    Peer& theirs = peers_[static_cast<std::size_t>(peer)];
    theirs.base = all.base() + file.memory_at(peer) - file.memory_at(0);
    theirs.own_size = file.memory();
    theirs.shared = file.shared();
  }
  assembly_ = std::move(assembly);
  common_memory_ = std::move(all);
  common_ = std::move(file);
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void Node::detach() noexcept {
  if (!assembly_) return;
  for (Peer& peer : peers_) peer = {};
  assembly_.reset();
  common_memory_.unmap();
  common_ = {};
}

void Node::join_attached() noexcept try {
  const std::unique_ptr<Join> joining = std::move(joining_);
  joining->attached([this](const void* mine, std::size_t bytes, void* all) {
    assembly_->gather(mine, bytes, all);
    return true;
  });
} catch (const std::exception&) {
  // As above.
}

Node::File Node::file(int peer) const noexcept {
  const Peer& theirs = peer_at(peer);
  if (!theirs.base) return {};
  const bool common = assembly_ != nullptr;
  return {.descriptor = common ? common_.descriptor() : theirs.file.get(),
          .table = theirs.base + theirs.own_size,
          .shared_from = common ? common_.shared_at(peer) : heddle::transport::shared_from(theirs.own_size),
          .shared = common || theirs.file ? theirs.shared : 0};
}

}  // namespace heddle::transport
