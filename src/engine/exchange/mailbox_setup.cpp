// engine/exchange/mailbox_setup.cpp: sends one word to each reader, which sends one back.
#include "engine/exchange/mailbox_setup.hpp"

#include <algorithm>

#include "transport/region.hpp"

namespace heddle::engine {

/// No reader has read mailboxes that are not settled, and none will: all ranks have come equally
/// far.
Mailboxes::~Mailboxes() {
  if (channel_) channel_->finished(true);
  if (!settled_) return;
  for (End& each : in_.ends)
    if (each.mailbox) each.mailbox.close();
  for (const End& each : out_.ends)
    if (each.mailbox) slots_[each.in].is_read(each.mailbox);
}

Mailboxes::End& Mailboxes::Side::add(const End& end) {
  order.push_back(ends.size());
  return ends.emplace_back(end);
}

void Mailboxes::Side::sort() noexcept {
  std::ranges::sort(order, [this](std::size_t one, std::size_t other) {
    return ends[one].rank != ends[other].rank ? ends[one].rank < ends[other].rank : ends[one].tag < ends[other].tag;
  });
}

/// A channel knows no tags, so both ranks of a pair send their words in the order of their tags.
void Mailboxes::pass_on(Side& from, Side& to) noexcept {
  const auto bytes = [](End& end) { return reinterpret_cast<std::byte*>(&end.word); };
  for (const std::size_t i : to.order) channel_->receive(to.ends[i].rank, bytes(to.ends[i]), sizeof(Word));
  for (const std::size_t i : from.order) channel_->send(from.ends[i].rank, bytes(from.ends[i]), sizeof(Word));
}

/// Cuts a mailbox from the last slot on loan, or else from one more slot.
void Mailboxes::cut(End& end) noexcept {
  if (lent_ > 0) end.mailbox = slots_[lent_ - 1].mailbox(end.word.slot);
  if (!end.mailbox && lent_ < slots_.size()) {
    slots_[lent_++] = room_.loans->lend(out_.ends.size());
    end.mailbox = slots_[lent_ - 1].mailbox(end.word.slot);
  }
  end.in = lent_ - 1;
}

void Mailboxes::say(const MailRoom& room, Channel& channel) noexcept {
  room_ = room;
  channel_ = &channel;
  out_.sort();
  in_.sort();
  for (End& each : out_.ends) {
    if (!each.able || !room_.loans) continue;
    cut(each);
    if (each.mailbox) each.word.place = each.mailbox.memory() - room_.memory;
  }
  pass_on(out_, in_);
}

/// Refuses mailboxes that do not lie in their sender's memory.
void Mailboxes::answer() noexcept {
  channel_->finished(true);
  for (End& each : in_.ends) {
    auto& [place, slot] = each.word;
    if (room_.loans && each.memory && Mailbox::possible(place, slot, room_.size) &&
        transport::open_memory(each.memory + place, Mailbox::whole(slot)))
      each.mailbox = Mailbox::of_peer(each.memory + place, slot);
    else
      place = -1;
  }
  pass_on(in_, out_);
}

void Mailboxes::settle() noexcept {
  channel_->finished(true);
  channel_ = nullptr;
  for (End& each : out_.ends)
    if (each.word.place < 0) each.mailbox = {};
  settled_ = true;
}

}  // namespace heddle::engine
