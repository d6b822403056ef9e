// engine/exchange/pair_mailboxes.cpp: agrees on the mailboxes of a communicator, publishes and
// consumes blocks.
#include "engine/exchange/pair_mailboxes.hpp"

#include <algorithm>
#include <iterator>
#include <set>

#include "engine/base/wait.hpp"
#include "engine/exchange/aggregates.hpp"
#include "report/reporting.hpp"

namespace heddle::engine {
namespace {

using select::MailboxSizes;
static_assert(Mailbox::header == MailboxSizes::head && slot_bytes == MailboxSizes::lent && Mailbox::line == MailboxSizes::line);

/// The longest block that fits. Both ranks of a pair know it, since both know the slot.
Bytes longest_in(const Mailbox& mailbox) noexcept {
  return mailbox ? select::longest_block(mailbox.slot(), MailboxSizes::most_together) : 0;
}

std::vector<NodePeer> among(const std::vector<NodePeer>& all, std::span<const Edge> edges) {
  std::set<Rank> ranks;
  for (const Edge& edge : edges) ranks.insert(edge.rank);
  std::vector<NodePeer> those;
  std::ranges::copy_if(all, std::back_inserter(those), [&](const NodePeer& peer) { return ranks.contains(peer.rank); });
  return those;
}

}  // namespace

void PairMailboxes::Peers::choose_neighbours(std::span<const Edge> out, std::span<const Edge> in) {
  to = among(all, out);
  from = among(all, in);
}

void PairMailboxes::offer() noexcept {
  const layout::Count most_slots = neighbours_ ? MailboxSizes::most_lent_to_neighbours : MailboxSizes::most_lent;
  const layout::Count slots = room_.loans ? std::min<layout::Count>(room_.loans->share(), most_slots) : most_slots;
  const MailboxSizes sizes = select::mailbox_sizes(static_cast<layout::Count>(to().size()), slots,
                                                   neighbours_ ? MailboxSizes::most_together : MailboxSizes::most);
  for (const NodePeer& peer : to()) mailboxes_.offer(peer.rank, 0, sizes.slot, sizes.longest > 0 && peer.memory);
  for (const NodePeer& peer : from()) mailboxes_.await(peer.rank, 0, peer.memory);
}

void PairMailboxes::settle_further(Channel& channel, bool neighbours) noexcept {
  if (call_ == say_at) {
    neighbours_ = neighbours;
    offer();
    mailboxes_.say(room_, channel);
  }
  if (call_ == answer_at) mailboxes_.answer();
  if (call_ == use_at) mailboxes_.settle();
}

std::size_t PairMailboxes::place_of(Rank rank, const std::vector<NodePeer>& peers) const noexcept {
  // Most often all ranks are on one node.
  if (const auto place = static_cast<std::size_t>(rank - (rank > me_)); place < peers.size() && peers[place].rank == rank)
    return place;
  const auto found = std::ranges::lower_bound(peers, rank, {}, &NodePeer::rank);
  return static_cast<std::size_t>((found != peers.end() && found->rank == rank ? found : peers.end()) - peers.begin());
}

Bytes PairMailboxes::longest_to(Rank rank) noexcept {
  const std::size_t place = place_of(rank, to());
  return place < to().size() ? longest_in(mailboxes_.out(place)) : 0;
}

Bytes PairMailboxes::longest_from(Rank rank) noexcept {
  const std::size_t place = place_of(rank, from());
  return place < from().size() ? longest_in(mailboxes_.in(place)) : 0;
}

bool PairMailboxes::publish(const Block& block, Carrier& carrier, int& error) noexcept {
  Mailbox& to = mailboxes_.out(place_of(block.rank, this->to()));
  Patience patience(crowded());
  while (!to.has_room())
    if (patience.pause()) carrier.progress();
  error = block.next ? pack_aggregate(block, to.room(), carrier) : carrier.pack(block, to.room());
  const bool published = to.publish(error == 0 ? block.mailed() : Mailbox::unpackable, call_);
  report::tell_of_mailed(published ? report::Mailed::blocking : report::Mailed::retracted_by_sender, block.mailed());
  return published;
}

/// Puts a found block in place.
void PairMailboxes::consume(Mailbox& from, const Block& block, Carrier& carrier, int& error) noexcept {
  const Bytes bytes = from.bytes();
  error = Mailboxes::error_of(bytes, block.mailed(), carrier);
  if (error == 0)
    error = block.next ? unpack_aggregate(block, from.packed(), bytes, carrier) : carrier.unpack(block, from.packed(), bytes);
  from.consume();
}

PairMailboxes::Found PairMailboxes::find(const Block& block, Carrier& carrier, int& error) noexcept {
  Mailbox& from = mailboxes_.in(place_of(block.rank, this->from()));
  const Found found = from.find(call_);
  if (found == Found::here) consume(from, block, carrier, error);
  return found;
}

bool PairMailboxes::retract(const Block& block, Carrier& carrier, int& error) noexcept {
  Mailbox& from = mailboxes_.in(place_of(block.rank, this->from()));
  if (!from.retract(call_)) return false;
  const Bytes came = from.bytes();
  consume(from, block, carrier, error);
  report::tell_of_mailed(report::Mailed::retracted_by_reader, error == 0 ? came : 0);
  return true;
}

}  // namespace heddle::engine
