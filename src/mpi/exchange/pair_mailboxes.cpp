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

/// What fits into one: two ranks know it alike, since both know the slot.
Bytes longest_in(const engine::Mailbox& mailbox) noexcept {
  return mailbox ? select::longest_block(mailbox.slot(), MailboxSizes::most_together) : 0;
}

}  // namespace

PairMailboxes::PairMailboxes(MPI_Comm comm, int me, int ranks) : node_(Node::here()), me_(me) {
  if (!node_) return;
  for (int rank = 0; rank < ranks; ++rank)
    if (rank != me && node_->peer(comm, rank) >= 0) here_.push_back(rank);
  // Later on there is no way back: others wait for what this rank says.
  to_.reserve(here_.size());
  from_.reserve(here_.size());
  mailboxes_.reserve(here_.size());
}

void PairMailboxes::offer(const ShadowComm& own, bool neighbours) noexcept {
  const auto take = [this](const std::vector<Edge>& edges, std::vector<int>& ranks) {
    for (const Edge& edge : edges)
      if (edge.tag == 0 && std::ranges::binary_search(here_, edge.rank)) ranks.push_back(edge.rank);
    std::ranges::sort(ranks);
  };
  if (neighbours) {
    take(own.out(), to_);
    take(own.in(), from_);
  } else {
    to_ = from_ = here_;
  }
  const Count slots =
      std::min<Count>(node_->loans().share(), neighbours ? MailboxSizes::most_lent_to_neighbours : MailboxSizes::most_lent);
  const Bytes most = neighbours ? MailboxSizes::most_together : MailboxSizes::most;
  const MailboxSizes sizes = select::mailbox_sizes(static_cast<Count>(to_.size()), slots, most);
  for (const int rank : to_) mailboxes_.offer(rank, tag, sizes.longest > 0 ? node_->peer(own.comm(), rank) : -1, sizes.slot);
  for (const int rank : from_) mailboxes_.await(rank, tag, node_->peer(own.comm(), rank));
}

void PairMailboxes::settle_further(const ShadowComm& own, bool neighbours) noexcept {
  if (call_ == say_at) {
    offer(own, neighbours);
    mailboxes_.say(own.comm());
  }
  if (call_ == answer_at) mailboxes_.answer(own.comm());
  if (call_ == use_at) mailboxes_.settle();
}

std::size_t PairMailboxes::place_of(int rank, const std::vector<int>& ranks) const noexcept {
  // Most often all ranks are on one node.
  if (const auto place = static_cast<std::size_t>(rank - (rank > me_)); place < ranks.size() && ranks[place] == rank)
    return place;
  const auto found = std::ranges::lower_bound(ranks, rank);
  return static_cast<std::size_t>((found != ranks.end() && *found == rank ? found : ranks.end()) - ranks.begin());
}

Bytes PairMailboxes::longest_to(int rank) noexcept {
  const std::size_t place = place_of(rank, to_);
  return place < to_.size() ? longest_in(mailboxes_.out(place)) : 0;
}

Bytes PairMailboxes::longest_from(int rank) noexcept {
  const std::size_t place = place_of(rank, from_);
  return place < from_.size() ? longest_in(mailboxes_.in(place)) : 0;
}

bool PairMailboxes::publish(const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  engine::Mailbox& to = mailboxes_.out(place_of(block.edge.rank, to_));
  engine::Patience patience(crowded());
  while (!to.has_room()) {
    int found = 0;
    if (patience.pause()) PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, own, &found, MPI_STATUS_IGNORE);
  }
  error = block.next ? pack_aggregate(block, to.room(), own) : element.look(block.data.type);
  if (error == MPI_SUCCESS && !block.next) error = element.pack(block.data.address, block.data.count, to.room(), own);
  const bool published = to.publish(error == MPI_SUCCESS ? block.mailed() : engine::Mailbox::unpackable, call_);
  report::tell_of_mailed(published ? report::Mailed::blocking : report::Mailed::retracted_by_sender, block.mailed());
  return published;
}

/// What has been found, put in place.
void PairMailboxes::consume(engine::Mailbox& from, const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  const Bytes bytes = from.bytes();
  error = Mailboxes::error_of(bytes, block.mailed());
  if (error == MPI_SUCCESS && block.next) error = unpack_aggregate(block, from.packed(), bytes, own);
  if (error == MPI_SUCCESS && !block.next) error = element.look(block.data.type);
  if (error == MPI_SUCCESS && !block.next && bytes > 0)
    error = element.unpack(from.packed(), const_cast<void*>(block.data.address), block.data.count * bytes / block.bytes, own);
  from.consume();
}

PairMailboxes::Found PairMailboxes::find(const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  engine::Mailbox& from = mailboxes_.in(place_of(block.edge.rank, from_));
  const Found found = from.find(call_);
  if (found == Found::here) consume(from, block, element, own, error);
  return found;
}

bool PairMailboxes::retract(const Block& block, Element& element, MPI_Comm own, int& error) noexcept {
  engine::Mailbox& from = mailboxes_.in(place_of(block.edge.rank, from_));
  if (!from.retract(call_)) return false;
  const Bytes came = from.bytes();
  consume(from, block, element, own, error);
  report::tell_of_mailed(report::Mailed::retracted_by_reader, error == MPI_SUCCESS ? came : 0);
  return true;
}

}  // namespace heddle::mpi
