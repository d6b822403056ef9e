// mpi/exchange/pair_mailboxes.cpp
#include "mpi/exchange/pair_mailboxes.hpp"

#include <algorithm>

#include "engine/wait.hpp"
#include "report/reporting.hpp"

namespace heddle::mpi {
namespace {

constexpr int tag = 32758;  // below that of routed.cpp

using select::MailboxSizes;
static_assert(engine::Mailbox::header == MailboxSizes::head && engine::slot_bytes == MailboxSizes::lent &&
              engine::Mailbox::line == MailboxSizes::line);

Bytes longest_in(const engine::Mailbox& mailbox) noexcept { return mailbox ? select::longest_block(mailbox.slot()) : 0; }

}  // namespace

PairMailboxes::PairMailboxes(MPI_Comm comm, int me, int ranks) : node_(Node::here()), me_(me) {
  if (!node_) return;
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != me && node_->peer(comm, rank) >= 0) ranks_.push_back(rank);
  const MailboxSizes sizes = select::mailbox_sizes(static_cast<Count>(ranks_.size()),
                                                   std::min<Count>(node_->loans().share(), MailboxSizes::most_lent));
  if (sizes.longest == 0) ranks_.clear();
  for (const int rank : ranks_) {
    mailboxes_.offer(rank, tag, node_->peer(comm, rank), sizes.slot);
    mailboxes_.await(rank, tag, node_->peer(comm, rank));
  }
}

void PairMailboxes::settle_further(MPI_Comm own) noexcept {
  if (call_ == say_at) mailboxes_.say(own);
  if (call_ == answer_at) mailboxes_.answer(own);
  if (call_ == use_at) mailboxes_.settle();
}

std::size_t PairMailboxes::place_of(int rank) const noexcept {
  // Most often all ranks are on one node.
  if (const auto place = static_cast<std::size_t>(rank - (rank > me_)); place < ranks_.size() && ranks_[place] == rank)
    return place;
  const auto found = std::ranges::lower_bound(ranks_, rank);
  return static_cast<std::size_t>((found != ranks_.end() && *found == rank ? found : ranks_.end()) - ranks_.begin());
}

Bytes PairMailboxes::longest_to(int rank) noexcept {
  const std::size_t place = place_of(rank);
  return place < ranks_.size() ? longest_in(mailboxes_.out(place)) : 0;
}

Bytes PairMailboxes::longest_from(int rank) noexcept {
  const std::size_t place = place_of(rank);
  return place < ranks_.size() ? longest_in(mailboxes_.in(place)) : 0;
}

bool PairMailboxes::publish(const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  engine::Mailbox& to = mailboxes_.out(place_of(block.edge.rank));
  engine::Patience patience(crowded());
  while (!to.has_room()) {
    int found = 0;
    if (patience.pause()) PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own, &found, MPI_STATUS_IGNORE);
  }
  error = element.look(block.data.type);
  if (error == MPI_SUCCESS) error = element.pack(block.data.address, block.data.count, to.room(), own);
  const bool published = to.publish(error == MPI_SUCCESS ? block.bytes : engine::Mailbox::unpackable, call_);
  report::tell_of_mailed(published ? report::Mailed::blocking : report::Mailed::retracted_by_sender, block.bytes);
  return published;
}

/// What has been found, put in place.
void PairMailboxes::consume(engine::Mailbox& from, const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  const Bytes bytes = from.bytes();
  error = Mailboxes::error_of(bytes, block.bytes);
  if (error == MPI_SUCCESS) error = element.look(block.data.type);
  if (error == MPI_SUCCESS && bytes > 0)
    error = element.unpack(from.packed(), const_cast<void*>(block.data.address), block.data.count * bytes / block.bytes, own);
  from.consume();
}

PairMailboxes::Found PairMailboxes::find(const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  engine::Mailbox& from = mailboxes_.in(place_of(block.edge.rank));
  const Found found = from.find(call_);
  if (found == Found::here) consume(from, block, element, own, error);
  return found;
}

bool PairMailboxes::retract(const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  engine::Mailbox& from = mailboxes_.in(place_of(block.edge.rank));
  if (!from.retract(call_)) return false;
  const Bytes came = from.bytes();
  consume(from, block, element, own, error);
  report::tell_of_mailed(report::Mailed::retracted_by_reader, error == MPI_SUCCESS ? came : 0);
  return true;
}

}  // namespace heddle::mpi
