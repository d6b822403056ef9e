// engine/exchange/mailboxes.hpp: mailboxes between this rank and others of its node (mailbox.hpp),
// settled on by messages: the sender of each says where it is, its reader whether it can read
// there.
//
//   Mailboxes mailboxes;
//   mailboxes.offer(rank, tag, slot);                        // for what this rank sends: its i-th is out(i)
//   mailboxes.await(rank, tag, their_memory);                // for what it receives: in(i)
//   mailboxes.say(room, channel); mailboxes.answer(); mailboxes.settle();
//
// The three steps may lie far apart: each waits for the messages of the one before.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/channel.hpp"
#include "engine/exchange/carrier.hpp"
#include "engine/loaned_slot.hpp"
#include "select/collective/mailboxes.hpp"

namespace heddle::engine {

/// The node memory of this rank, in which mailboxes lie: to be lent.
struct MailRoom {
  Loans* loans = nullptr;  ///< Null: this rank does without mailboxes.
  const std::byte* memory = nullptr;
  Bytes size = 0;        ///< Of each rank of the node.
  bool crowded = false;  ///< More ranks than cores.
};

class Mailboxes {
 public:
  Mailboxes() = default;
  Mailboxes(const Mailboxes&) = delete;
  Mailboxes& operator=(const Mailboxes&) = delete;
  ~Mailboxes();

  /// Memory for so many each way: offer() and await() take no more then. Throws std::bad_alloc.
  void reserve(std::size_t each_way) {
    for (Side* const side : {&out_, &in_}) {
      side->ends.reserve(each_way);
      side->order.reserve(each_way);
    }
  }
  // Throw std::bad_alloc.
  /// @param able  False: there will be no mailbox, and its reader is told.
  void offer(Rank rank, int tag, Bytes slot, bool able) { out_.add({.rank = rank, .tag = tag, .able = able}).word.slot = slot; }
  /// @param memory  Where the node memory of the sender begins; null: there will be none, and the sender is told.
  void await(Rank rank, int tag, std::byte* memory) { in_.add({.rank = rank, .tag = tag, .memory = memory}); }

  /// @param channel  Of messages that are not of this room's exchanges; until settle() or the end.
  void say(const MailRoom& room, Channel& channel) noexcept;
  void answer() noexcept;
  void settle() noexcept;

  /// False: none.
  [[nodiscard]] Mailbox& out(std::size_t i) noexcept { return out_.ends[i].mailbox; }
  [[nodiscard]] Mailbox& in(std::size_t i) noexcept { return in_.ends[i].mailbox; }

  /// What is wrong with a block in whose place so many bytes have come (Mailbox::bytes).
  static int error_of(Bytes came, Bytes expected, const Carrier& carrier) noexcept {
    // Less than is expected is a mistake, too, which hosts let pass.
    if (came >= 0 && came <= expected) return 0;
    return carrier.error_of(came < 0 ? Carrier::Mistake::unpackable : Carrier::Mistake::truncated);
  }

 private:
  static constexpr std::size_t most_slots = select::MailboxSizes::most_lent_to_neighbours;  ///< On loan.
  /// What both sides say of a mailbox.
  struct Word {
    std::int64_t place = -1;  // the sender: where in its node memory; -1: nowhere. The reader: -1: not to be read
    std::int64_t slot = 0;
  };
  struct End {
    Rank rank;
    int tag;
    bool able = false;
    std::byte* memory = nullptr;
    Mailbox mailbox{};
    Word word{};
    std::size_t in = 0;  ///< The loaned slot that it is cut from.
  };
  struct Side {
    std::vector<End> ends;
    std::vector<std::size_t> order;  ///< In which they are told of: by ranks, then tags.
    End& add(const End& end);
    void sort() noexcept;
  };
  void pass_on(Side& from, Side& to) noexcept;
  void cut(End& end) noexcept;

  MailRoom room_;
  Channel* channel_ = nullptr;  // words are under way
  std::array<LoanedSlot, most_slots> slots_;
  std::size_t lent_ = 0;
  Side out_, in_;
  bool settled_ = false;
};

}  // namespace heddle::engine
