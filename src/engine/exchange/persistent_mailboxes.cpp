// engine/exchange/persistent_mailboxes.cpp: agrees on the mailboxes in the init call, and uses them
// at each start.
#include "engine/exchange/persistent_mailboxes.hpp"

#include <map>
#include <new>
#include <unordered_set>
#include <utility>

#include "engine/base/wait.hpp"
#include "report/reporting.hpp"

namespace heddle::engine {
namespace {

/// Bytes. Longer blocks gain less from a mailbox.
constexpr Bytes longest_kept = 8 << 10;

/// The blocks of one direction, by rank and tag.
struct Along {
  static constexpr auto none = static_cast<std::size_t>(-1);
  const Block* block = nullptr;
  std::size_t mailbox = none;
};
using BlocksAlong = std::map<std::pair<Rank, int>, Along>;

}  // namespace

// Nothing here depends on a size that only one end of an edge knows: a sloppy program may expect
// more than it gets. Each sender says whether it has a short block for a mailbox, and its reader
// whether it expects one. A sender needs something back at each start (docs/mailbox.md, rule 7),
// and so asks for the blocks that it expects itself.
bool PersistentMailboxes::agree(const Edges& edges, const MailRoom& room, Channel& channel) noexcept try {
  crowded_ = room.crowded;
  BlocksAlong sent, expected;
  std::unordered_set<Rank> heard;
  exchange_.for_each_send([&](const Block& block) { sent[{block.rank, block.tag}].block = &block; });
  exchange_.for_each_receive([&](const Block& block) {
    expected[{block.rank, block.tag}].block = &block;
    heard.insert(block.rank);
  });
  const auto short_one = [&room](BlocksAlong& blocks, const Edge& edge, std::size_t number) -> const Block* {
    const auto found = blocks.find({edge.rank, edge.tag});
    if (found == blocks.end() || found->second.block->bytes > longest_kept || !room.loans) return nullptr;
    found->second.mailbox = number;
    return found->second.block;
  };
  for (std::size_t i = 0; i < edges.out.size(); ++i) {
    const Edge& edge = edges.out[i];
    const Block* const block = heard.contains(edge.rank) ? short_one(sent, edge, i) : nullptr;
    mailboxes_.offer(edge.rank, edge.tag, block ? Mailbox::slot_for(block->bytes) : 0, block && carrier_.hold(*block));
  }
  for (std::size_t i = 0; i < edges.in.size(); ++i) {
    const Edge& edge = edges.in[i];
    const Block* const block = short_one(expected, edge, i);
    mailboxes_.await(edge.rank, edge.tag, block ? carrier_.hold(*block) : nullptr);
  }
  mailboxes_.say(room, channel);
  mailboxes_.answer();
  mailboxes_.settle();

  const auto moves = [&](std::vector<Carried>& all, const BlocksAlong& blocks,
                         Mailbox& (Mailboxes::*end)(std::size_t) noexcept) {
    return [&, end](const Block& block) {
      const auto along = blocks.find({block.rank, block.tag});
      const bool asked = along != blocks.end() && along->second.mailbox != Along::none;
      const Mailbox mailbox = asked ? (mailboxes_.*end)(along->second.mailbox) : Mailbox();
      if (mailbox) all.push_back({block, mailbox});
      return static_cast<bool>(mailbox);
    };
  };
  exchange_.take_sends(moves(out_, sent, &Mailboxes::out));
  exchange_.take_receives(moves(in_, expected, &Mailboxes::in));
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
