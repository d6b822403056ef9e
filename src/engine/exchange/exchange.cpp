// engine/exchange/exchange.cpp: an exchange step by step: receives, sends, the rank's own blocks,
// mailboxes, the end.
#include "engine/exchange/exchange.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "engine/base/wait.hpp"

namespace heddle::engine {
namespace {

/// Bytes. Up to here hosts send eagerly, and Heddle announces nothing.
constexpr Bytes small_block = 4 << 10;

/// Sends under way at once: beyond, a host's queues of unexpected messages grow at the receivers.
constexpr int throttle = 64;

}  // namespace

void Exchange::post_receive(const Block& block) noexcept {
  int error = 0;
  const Carrier::Tickets tickets = in_.next();
  const bool aggregate = block.role == Role::first;
  Carrier::Begun begun = Carrier::Begun::followed;
  if (aggregate)
    error = carrier_.receive_bytes(block, block.packed, block.aggregate, tickets.followed);
  else
    begun = carrier_.receive(block, tickets, error);
  if (error != 0) return note(error);
  if (begun == Carrier::Begun::plain) {
    ++in_.plain;
    return;
  }
  driven_ |= begun == Carrier::Begun::driven;
  ++in_.followed;
  open_[opened_++] = {tickets.followed, aggregate ? &block : nullptr};
}

void Exchange::post_sends(bool small, bool in_call) noexcept {
  for (int i = 0; i < sends_; ++i) {
    const Block& block = blocks_[i];
    if (block.role == Role::own || block.role == Role::later || (block.bytes <= small_block) != small) continue;
    if (int error = 0; block.role == Role::mailbox && mailboxes_->publish(block, carrier_, error)) {
      note(error);
      continue;
    }
    // A rank may wait for its turn only within a call, because all ranks have posted their receives
    // there.
    if (in_call && out_.plain >= throttle) {
      int error = 0;
      carrier_.over(out_.plain_ticket(out_.plain - throttle), true, error);
      note(error);
    }
    int error = 0;
    const Carrier::Tickets tickets = out_.next();
    Carrier::Begun begun = Carrier::Begun::plain;
    if (block.role == Role::first || (block.role == Role::mailbox && block.next)) {
      error = pack_aggregate(block, block.packed, carrier_);
      if (error == 0) error = carrier_.send_bytes(block, block.packed, block.aggregate, tickets.plain);
    } else {
      begun = carrier_.send(block, tickets, error);
    }
    note(error);
    if (error == 0) ++(begun == Carrier::Begun::plain ? out_.plain : out_.followed);
  }
}

/// Finds blocks that this rank sends to itself. Some of these stay messages of the host: blocks of
/// two sizes, which are a mistake, and types that Heddle does not know.
void Exchange::find_own() noexcept {
  Block* in = blocks_ + most_sends_;
  Block* const end = in + receives_;
  for (Block* out = blocks_; out != blocks_ + sends_; ++out) {
    if (out->rank != me_) continue;
    while (in != end && (in->rank != me_ || in->tag < out->tag)) ++in;
    if (in == end) return;
    if (in->tag != out->tag || in->bytes != out->bytes || !carrier_.moves(*out, *in)) continue;
    out->role = in->role = Role::own;
    out->next = in;
  }
}

void Exchange::move_own() noexcept {
  for (int i = 0; i < sends_; ++i)
    if (blocks_[i].role == Role::own) carrier_.move(blocks_[i], *blocks_[i].next);
}

bool Exchange::make_aggregates() noexcept {
  const std::array<std::span<Block>, 2> sides = {std::span(blocks_, static_cast<std::size_t>(sends_)),
                                                 std::span(blocks_ + most_sends_, static_cast<std::size_t>(receives_))};
  const Bytes out = aggregate(sides[0], [this](Rank rank) { return mailboxes_ ? mailboxes_->longest_to(rank) : 0; });
  const Bytes in = aggregate(sides[1], [this](Rank rank) { return mailboxes_ ? mailboxes_->longest_from(rank) : 0; });
  const bool room = out >= 0 && in >= 0 && aggregates_.reserve(out + in);
  std::byte* next = aggregates_.data();
  for (const std::span<Block>& side : sides)
    for (Block& block : side) {
      if (!room) block.role = Role::alone;
      if (block.role == Role::first) next = (block.packed = next) + block.aggregate;
    }
  return room;
}

bool Exchange::arrange() noexcept {
  if (arranged_) return true;
  find_own();
  if (repeated_ && !make_aggregates()) return false;
  if (mailboxes_) choose_mailboxes();
  return arranged_ = true;
}

/// Both ranks of a pair know the block, or aggregate, that may be in their mailbox, and whether it
/// fits. A single block longer than MailboxSizes::most gains only if ranks wait for a core. The two
/// ranks may judge this differently, and still meet (docs/mailbox.md, rules 4 and 5).
void Exchange::choose_mailboxes() noexcept {
  const auto may = [this](const Block& block) {
    return (block.role == Role::alone || block.role == Role::first) && (block.mailable || !repeated_);
  };
  const auto fits = [this](const Block& block, Bytes room) {
    return block.mailed() <= (block.next || mailboxes_->crowded() ? room : std::min(room, select::MailboxSizes::most));
  };
  for (int i = 0; i < sends_; ++i)
    if (Block& block = blocks_[i]; may(block) && fits(block, mailboxes_->longest_to(block.rank))) block.role = Role::mailbox;
  for (int i = most_sends_; i < most_sends_ + receives_; ++i) {
    Block& block = blocks_[i];
    const Bytes longest = may(block) ? mailboxes_->longest_from(block.rank) : 0;
    int error = 0;
    if (longest > 0 && fits(block, longest)) {
      block.role = Role::mailbox;
      ++unpublished_;
    } else if (longest > 0 && mailboxes_->retract(block, carrier_, error)) {
      block.role = Role::consumed;
      note(error);
    }
  }
}

void Exchange::finish(const Open& receive, int error) noexcept {
  if (error == 0 && receive.aggregate)
    error = unpack_aggregate(*receive.aggregate, receive.aggregate->packed, receive.aggregate->aggregate, carrier_);
  note(error);
  ++in_.followed_over;
}

/// Finishes the followed receives that have come. True: one has.
bool Exchange::sweep() noexcept {
  int left = 0;
  for (int i = 0; i < opened_; ++i) {
    int error = 0;
    if (carrier_.over(open_[i].ticket, false, error))
      finish(open_[i], error);
    else
      open_[left++] = open_[i];
  }
  return std::exchange(opened_, left) > left;
}

// Sweeps while receives have come. A host's Waitany looks at every request twice, so it is called
// only if none has.
bool Exchange::finish_receives(bool wait) noexcept {
  Patience patience(driven_ && carrier_.crowded());
  while (opened_ > 0) {
    if (sweep()) {
      patience.renew();
      continue;
    }
    if (!wait) return false;
    if (driven_) {
      carrier_.drive();
      patience.pause();
      continue;
    }
    int error = 0;
    const Ticket ticket = carrier_.wait_any(in_.first, in_.followed, error);
    if (ticket == Carrier::none) {
      note(error);
      return true;
    }
    int i = 0;
    while (open_[i].ticket != ticket) ++i;
    finish(open_[i], error);
    for (--opened_; i < opened_; ++i) open_[i] = open_[i + 1];
  }
  return true;
}

void Exchange::consume_published() noexcept {
  for (int i = most_sends_; i < most_sends_ + receives_ && unpublished_ > 0; ++i) {
    Block& block = blocks_[i];
    if (block.role != Role::mailbox) continue;
    int error = 0;
    const PairMailboxes::Found found = mailboxes_->find(block, carrier_, error);
    if (found == PairMailboxes::Found::nothing) continue;
    note(error);
    block.role = found == PairMailboxes::Found::here ? Role::consumed : block.as_message();
    --unpublished_;
    if (found == PairMailboxes::Found::later) post_receive(block);
  }
}

/// A rank that waits here also keeps the host going, because other ranks may need its progress.
bool Exchange::finish_mailboxes(bool wait) noexcept {
  consume_published();
  if (unpublished_ == 0 || !wait) return unpublished_ == 0;
  constexpr int seldom = 8;  // the host takes its time
  Patience patience(mailboxes_->crowded(), mailboxes_->crowded() ? 4 : 1024);
  for (int turn = 0; unpublished_ > 0; consume_published()) {
    if (!patience.pause() || ++turn % seldom != 0) continue;
    finish_receives(false);
    look_for_message(turn / seldom);
  }
  return true;
}

/// Probes for a message instead of one of the due blocks, in turn, which also keeps the host going.
/// If such a message has come, it is too long, as the host will say. It may also be a later message
/// of that sender. But its sender has published the due block before that, so the mailbox is looked
/// at once more.
void Exchange::look_for_message(int turn) noexcept {
  int which = turn % unpublished_;
  for (int i = most_sends_; i < most_sends_ + receives_; ++i) {
    Block& block = blocks_[i];
    if (block.role != Role::mailbox || which-- > 0) continue;
    const bool found = carrier_.probe(block);
    if (found) consume_published();
    if (!found || block.role != Role::mailbox) return;
    block.role = block.as_message();
    --unpublished_;
    return post_receive(block);
  }
}

bool Exchange::finish_sends(bool wait) noexcept {
  for (; out_.followed_over < out_.followed; ++out_.followed_over) {
    int error = 0;
    if (!carrier_.over(out_.first + out_.followed_over, wait, error)) return false;
    note(error);
  }
  return true;
}

/// Completes messages one by one, because each has an error of its own. The host moves all of them
/// at the same time.
bool Exchange::finish_plain(Tickets& side, bool wait) noexcept {
  for (; side.plain_over < side.plain; ++side.plain_over) {
    int error = 0;
    if (!carrier_.over(side.plain_ticket(side.plain_over), wait, error)) return false;
    note(error);
  }
  return true;
}

void Exchange::start(bool in_call) noexcept {
  error_ = 0;
  driven_ = false;
  opened_ = 0;
  for (Tickets* side : {&in_, &out_}) side->followed = side->plain = side->followed_over = side->plain_over = 0;
  if (!arrange()) return note(carrier_.error_of(Carrier::Failure::no_memory));
  if (sends_ == 0 && receives_ == 0) return;
  note(carrier_.begin(in_call));
  for (int i = 0; i < receives_; ++i)
    if (const Block& block = blocks_[most_sends_ + i]; block.role == Role::alone || block.role == Role::first)
      post_receive(block);
  post_sends(true, in_call);
  post_sends(false, in_call);
  move_own();
}

bool Exchange::advance(bool wait) noexcept {
  return finish_mailboxes(wait) && finish_receives(wait) && finish_sends(wait) && finish_plain(in_, wait) &&
         finish_plain(out_, wait);
}

}  // namespace heddle::engine
