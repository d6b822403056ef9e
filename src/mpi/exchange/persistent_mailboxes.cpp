// mpi/exchange/persistent_mailboxes.cpp
#include "mpi/exchange/persistent_mailboxes.hpp"

#include <unordered_map>
#include <utility>

#include "layout/pack.hpp"
#include "report/reporting.hpp"

namespace heddle::mpi {
namespace {

/// Bytes: longer blocks gain less from not being messages.
constexpr Bytes longest_kept = 8 << 10;

}  // namespace

// Who takes part in this follows from the bytes of signatures, which both ranks of a pair know. All else is said.
bool PersistentMailboxes::agree(const ShadowComm& own, Exchange& exchange) noexcept try {
  enum : unsigned char { sends = 1, receives = 2 };
  std::unordered_map<int, unsigned char> ways;
  exchange.for_each_send([&](const Block& block) { ways[block.edge.rank] |= sends; });
  exchange.for_each_receive([&](const Block& block) { ways[block.edge.rank] |= receives; });
  const auto fits = [&](const Block& block) {
    return block.bytes <= longest_kept && block.edge.rank != own.me() && ways[block.edge.rank] == (sends | receives);
  };
  Node* const node = Node::here();
  const auto peer = [&](const Block& block) {
    return node && Derived(hold_any(block.data.type)) ? node->peer(own.comm(), block.edge.rank) : -1;
  };
  exchange.for_each_send([&](const Block& block) {
    if (fits(block))
      mailboxes_.offer(block.edge.rank, exchange.tag(block.edge), peer(block), engine::Mailbox::slot_for(block.bytes));
  });
  exchange.for_each_receive([&](const Block& block) {
    if (fits(block)) mailboxes_.await(block.edge.rank, exchange.tag(block.edge), peer(block));
  });
  mailboxes_.say(own.comm());
  mailboxes_.answer(own.comm());
  mailboxes_.settle();

  const auto moves = [&](std::vector<Carried>& all, engine::Mailbox& (Mailboxes::*end)(std::size_t) noexcept) {
    return [&, end, next = std::size_t{0}](const Block& block) mutable {
      const engine::Mailbox mailbox = fits(block) ? (mailboxes_.*end)(next++) : engine::Mailbox();
      if (mailbox) all.push_back({block.data, block.bytes, Derived(hold_any(block.data.type)), mailbox});
      return static_cast<bool>(mailbox);
    };
  };
  exchange.take_sends(moves(out_, &Mailboxes::out));
  exchange.take_receives(moves(in_, &Mailboxes::in));
  return true;
} catch (const std::bad_alloc&) {
  return false;
}

void PersistentMailboxes::start() noexcept {
  error_ = MPI_SUCCESS;
  ++number_;
  for (Carried& each : out_) {
    layout::pack(each.type->layout(), each.data.count, each.data.address, each.mailbox.room());
    each.mailbox.publish_in_turn(each.bytes, number_);
    report::tell_of_mailed(report::Mailed::persistent, each.bytes);
  }
  for (Carried& each : in_) each.done = false;
  left_ = in_.size();
}

bool PersistentMailboxes::advance() noexcept {
  for (Carried& each : in_) {
    if (each.done || each.mailbox.find(number_) != engine::Mailbox::Found::here) continue;
    const Bytes bytes = each.mailbox.bytes();
    if (const int error = Mailboxes::error_of(bytes, each.bytes); error == MPI_SUCCESS)
      layout::unpack(each.type->layout(), each.data.count * bytes / each.bytes, const_cast<void*>(each.data.address),
                     each.mailbox.packed());
    else if (error_ == MPI_SUCCESS)
      error_ = error;
    each.done = true;
    --left_;
  }
  return left_ == 0;
}

}  // namespace heddle::mpi
