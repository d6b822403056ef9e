// engine/exchange/persistent_mailboxes.cpp
#include "engine/exchange/persistent_mailboxes.hpp"

#include <new>
#include <unordered_map>

#include "engine/base/wait.hpp"
#include "report/reporting.hpp"

namespace heddle::engine {
namespace {

/// Bytes. Longer blocks gain less from a mailbox.
constexpr Bytes longest_kept = 8 << 10;

}  // namespace

// The blocks that take part follow from the bytes of signatures, which both ranks of a pair know.
// Messages settle all else.
bool PersistentMailboxes::agree(const MailRoom& room, Channel& channel) noexcept try {
  crowded_ = room.crowded;
  enum : unsigned char { sends = 1, receives = 2 };
  std::unordered_map<Rank, unsigned char> candidates;
  exchange_.for_each_send([&](const Block& block) { candidates[block.rank] |= sends; });
  exchange_.for_each_receive([&](const Block& block) { candidates[block.rank] |= receives; });
  const auto fits = [&](const Block& block) {
    return block.bytes <= longest_kept && block.rank != exchange_.me() && candidates[block.rank] == (sends | receives);
  };
  exchange_.for_each_send([&](const Block& block) {
    if (fits(block))
      mailboxes_.offer(block.rank, block.tag, Mailbox::slot_for(block.bytes), room.loans && carrier_.hold(block));
  });
  exchange_.for_each_receive([&](const Block& block) {
    if (fits(block)) mailboxes_.await(block.rank, block.tag, room.loans ? carrier_.hold(block) : nullptr);
  });
  mailboxes_.say(room, channel);
  mailboxes_.answer();
  mailboxes_.settle();

  const auto moves = [&](std::vector<Carried>& all, Mailbox& (Mailboxes::*end)(std::size_t) noexcept) {
    return [&, end, next = std::size_t{0}](const Block& block) mutable {
      const Mailbox mailbox = fits(block) ? (mailboxes_.*end)(next++) : Mailbox();
      if (mailbox) all.push_back({block, mailbox});
      return static_cast<bool>(mailbox);
    };
  };
  exchange_.take_sends(moves(out_, &Mailboxes::out));
  exchange_.take_receives(moves(in_, &Mailboxes::in));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void PersistentMailboxes::start() noexcept {
  error_ = 0;
  ++number_;
  for (Carried& each : out_) {
    carrier_.pack(each.block, each.mailbox.room());  // held by the carrier: this cannot fail
    each.mailbox.publish_in_turn(each.block.bytes, number_);
    report::tell_of_mailed(report::Mailed::persistent, each.block.bytes);
  }
  for (Carried& each : in_) each.done = false;
  left_ = in_.size();
}

bool PersistentMailboxes::consume() noexcept {
  for (Carried& each : in_) {
    if (each.done || each.mailbox.find(number_) != Mailbox::Found::here) continue;
    const Bytes bytes = each.mailbox.bytes();
    if (const int error = Mailboxes::error_of(bytes, each.block.bytes, carrier_); error == 0)
      carrier_.unpack(each.block, each.mailbox.packed(), bytes);
    else if (error_ == 0)
      error_ = error;
    each.done = true;
    --left_;
  }
  return left_ == 0;
}

bool PersistentMailboxes::advance(bool wait) noexcept {
  constexpr int seldom = 8;  // others may need the host's progress here, but the host takes its time
  Patience patience(crowded_, crowded_ ? 4 : 1024);
  for (int turn = 0; !consume();) {
    if (!wait) return false;
    if (!patience.pause() || ++turn % seldom != 0) continue;
    if (exchange_.advance(false)) carrier_.progress();
  }
  return exchange_.advance(wait);
}

}  // namespace heddle::engine
