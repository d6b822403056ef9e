// mpi/rendezvous/announced.cpp: the sender's side.
#include "engine/touched.hpp"
#include "mpi/rendezvous/rendezvous.hpp"
#include "mpi/start.hpp"
#include "select/segment.hpp"

namespace heddle::mpi {

namespace {

engine::Scheme forced(settings::Scheme wanted) {
  switch (wanted) {
    case settings::Scheme::rwg_up:
      return engine::Scheme::rwg_up;
    case settings::Scheme::p_rrs:
      return engine::Scheme::p_rrs;
    case settings::Scheme::multi_w:
      return engine::Scheme::multi_w;
    case settings::Scheme::direct:
      return engine::Scheme::direct;
    case settings::Scheme::both:
      return engine::Scheme::both;
    default:
      return engine::Scheme::bc_spup;
  }
}

/// How long a blocked sender leaves its message to the receiver: about as long as packing would take (ski rental: at worst
/// twice the better of the two). 4 GB/s, and the time that a message needs to be noticed.
std::int64_t grace_ns(Bytes bytes) { return 2000 + bytes / 4; }

}  // namespace

Announced::Announced(const Buffer& data, int dest, MPI_Comm comm) noexcept {
  Node* node = Node::here();
  const int peer = node ? node->peer(comm, dest) : -1;
  if (peer < 0) return;
  type_ = Derived(data.type);
  if (!type_) return;
  const Bytes bytes = data.count * type_->size();
  const settings::Settings& set = settings_of_process();
  engine::Plan plan{.scheme = forced(set.scheme),
                    .segment = set.segment > 0 ? set.segment : select::segment(bytes),
                    .grace_ns = grace_ns(bytes)};
  const bool packs =
      plan.scheme == engine::Scheme::bc_spup || (plan.scheme == engine::Scheme::p_rrs && !type_->contiguous(data.count));
  if (!packs) {
    const engine::Touched touched = engine::touched_by(type_->layout(), data.count);
    plan.place = node->shared().find(static_cast<const std::byte*>(data.address) + touched.low, touched.bytes());
  }
  if (!packs && (plan.place || node->read_by(peer))) {
    plan.layout = type_->listed(node->outbox().catalogue());
    plan.pullable = plan.layout.wire_bytes > 0;
  }
  message_ = node->outbox().begin({&type_->layout(), data.count, data.address}, plan, descriptor_);
}

Announced::~Announced() {
  if (message_) Node::here()->outbox().withdraw(message_);
}

void Announced::settle() noexcept {
  engine::Outbox& outbox = Node::here()->outbox();
  outbox.settle(*message_);
  outbox.leave(message_);
  message_ = nullptr;
}

}  // namespace heddle::mpi
