// engine/exchange/pair_mailboxes.cpp
#include "engine/exchange/pair_mailboxes.hpp"

#include <algorithm>

#include "engine/wait.hpp"
#include "report/reporting.hpp"

namespace heddle::engine {
namespace {

using select::MailboxSizes;
static_assert(Mailbox::header == MailboxSizes::head && slot_bytes == MailboxSizes::lent && Mailbox::line == MailboxSizes::line);

Bytes longest_in(const Mailbox& mailbox) noexcept { return mailbox ? select::longest_block(mailbox.slot()) : 0; }

}  // namespace

PairMailboxes::PairMailboxes(const MailRoom& room, Rank me, int share, std::span<const NodePeer> peers) : room_(room), me_(me) {
  const MailboxSizes sizes =
      select::mailbox_sizes(static_cast<layout::Count>(peers.size()), std::min<layout::Count>(share, MailboxSizes::most_lent));
  if (sizes.longest == 0) return;
  for (const NodePeer& peer : peers) {
    ranks_.push_back(peer.rank);
    mailboxes_.offer(peer.rank, 0, sizes.slot, peer.memory != nullptr);
    mailboxes_.await(peer.rank, 0, peer.memory);
  }
}

void PairMailboxes::settle_further(Channel& channel) noexcept {
  if (call_ == say_at) mailboxes_.say(room_, channel);
  if (call_ == answer_at) mailboxes_.answer();
  if (call_ == use_at) mailboxes_.settle();
}

std::size_t PairMailboxes::place_of(Rank rank) const noexcept {
  // Most often all ranks are on one node.
  if (const auto place = static_cast<std::size_t>(rank - (rank > me_)); place < ranks_.size() && ranks_[place] == rank)
    return place;
  const auto found = std::ranges::lower_bound(ranks_, rank);
  return static_cast<std::size_t>((found != ranks_.end() && *found == rank ? found : ranks_.end()) - ranks_.begin());
}

Bytes PairMailboxes::longest_to(Rank rank) noexcept {
  const std::size_t place = place_of(rank);
  return place < ranks_.size() ? longest_in(mailboxes_.out(place)) : 0;
}

Bytes PairMailboxes::longest_from(Rank rank) noexcept {
  const std::size_t place = place_of(rank);
  return place < ranks_.size() ? longest_in(mailboxes_.in(place)) : 0;
}

bool PairMailboxes::publish(const Block& block, Carrier& carrier, int& error) noexcept {
  Mailbox& to = mailboxes_.out(place_of(block.rank));
  Patience patience(crowded());
  while (!to.has_room())
    if (patience.pause()) carrier.progress();
  error = carrier.pack(block, to.room());
  const bool published = to.publish(error == 0 ? block.bytes : Mailbox::unpackable, call_);
  report::tell_of_mailed(published ? report::Mailed::blocking : report::Mailed::retracted_by_sender, block.bytes);
  return published;
}

/// What has been found, put in place.
void PairMailboxes::consume(Mailbox& from, const Block& block, Carrier& carrier, int& error) noexcept {
  const Bytes bytes = from.bytes();
  error = Mailboxes::error_of(bytes, block.bytes, carrier);
  if (error == 0) error = carrier.unpack(block, from.packed(), bytes);
  from.consume();
}

PairMailboxes::Found PairMailboxes::find(const Block& block, Carrier& carrier, int& error) noexcept {
  Mailbox& from = mailboxes_.in(place_of(block.rank));
  const Found found = from.find(call_);
  if (found == Found::here) consume(from, block, carrier, error);
  return found;
}

bool PairMailboxes::retract(const Block& block, Carrier& carrier, int& error) noexcept {
  Mailbox& from = mailboxes_.in(place_of(block.rank));
  if (!from.retract(call_)) return false;
  const Bytes came = from.bytes();
  consume(from, block, carrier, error);
  report::tell_of_mailed(report::Mailed::retracted_by_reader, error == 0 ? came : 0);
  return true;
}

}  // namespace heddle::engine
