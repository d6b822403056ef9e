// mpi/rendezvous/announced.cpp: the sender's side.
#include "mpi/rendezvous/rendezvous.hpp"
#include "mpi/start.hpp"
#include "select/segment.hpp"

namespace heddle::mpi {

namespace {

engine::Plan plan_of(Bytes bytes) {
  const Bytes forced = settings_of_process().segment;
  return {.segment = forced > 0 ? forced : select::segment(bytes)};
}

}  // namespace

Announced::Announced(const Buffer& data, int dest, MPI_Comm comm) noexcept {
  Node* node = Node::here();
  if (!node || node->peer(comm, dest) < 0) return;
  type_ = Derived(data.type);
  if (!type_) return;
  const Bytes bytes = data.count * type_->size();
  message_ = node->outbox().begin({&type_->layout(), data.count, data.address}, plan_of(bytes), descriptor_);
}

Announced::~Announced() {
  if (message_) Node::here()->outbox().withdraw(message_);
}

void Announced::pack() noexcept {
  engine::Outbox& outbox = Node::here()->outbox();
  outbox.pack_all(*message_);
  outbox.leave(message_);
  message_ = nullptr;
}

}  // namespace heddle::mpi
