// engine/exchange/mailbox_setup.hpp: sets up mailboxes between this rank and others of its node
// (engine/node/mailbox.hpp), by messages. The sender of a mailbox tells its place, and the reader
// answers whether it can read there.
//
//   Mailboxes mailboxes;
//   mailboxes.offer(rank, tag, slot, true);                  // this rank sends by it: the i-th is out(i)
//   mailboxes.await(rank, tag, their_memory);                // this rank receives by it: the i-th is in(i)
//   mailboxes.say(room, channel); mailboxes.answer(); mailboxes.settle();
//
// The three steps may lie far apart: each waits for the messages of the one before.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/collective/channel.hpp"
#include "engine/exchange/carrier.hpp"
#include "engine/node/loaned_slot.hpp"
#include "select/collective/mailbox_sizes.hpp"

namespace heddle::engine {

/// The node memory of this rank, which is lent for mailboxes.
struct MailRoom {
  Loans* loans = nullptr;  ///< Null: this rank does without mailboxes.
  const std::byte* memory = nullptr;
  Bytes size = 0;        ///< Bytes of each rank's node memory.
  bool crowded = false;  ///< More ranks than cores.
};

class Mailboxes {
 public:
  Mailboxes() = default;
  Mailboxes(const Mailboxes&) = delete;
  Mailboxes& operator=(const Mailboxes&) = delete;
  ~Mailboxes();

  /// Takes memory for so many mailboxes each way, so that offer() and await() take none. Throws
  /// std::bad_alloc.
  void reserve(std::size_t each_way) {
    for (Side* const side : {&out_, &in_}) {
      side->ends.reserve(each_way);
      side->order.reserve(each_way);
    }
  }
  // These throw std::bad_alloc.
  /// @param able  False: there will be no mailbox, and its reader is told.
  void offer(Rank rank, int tag, Bytes slot, bool able) { out_.add({.rank = rank, .tag = tag, .able = able}).word.slot = slot; }
  /// @param memory  Start of the sender's node memory. Null: there will be no mailbox, and the
  /// sender is told.
  void await(Rank rank, int tag, std::byte* memory) { in_.add({.rank = rank, .tag = tag, .memory = memory}); }

  /// @param channel  Its messages are apart from those of exchanges. It stays until settle() or the
  /// end.
  void say(const MailRoom& room, Channel& channel) noexcept;
  void answer() noexcept;
  void settle() noexcept;

  /// A false mailbox: there is none.
  [[nodiscard]] Mailbox& out(std::size_t i) noexcept { return out_.ends[i].mailbox; }
  [[nodiscard]] Mailbox& in(std::size_t i) noexcept { return in_.ends[i].mailbox; }

  /// The error of a block for which so many bytes have come (Mailbox::bytes).
  static int error_of(Bytes came, Bytes expected, const Carrier& carrier) noexcept {
    // Fewer bytes than expected are a mistake, too, but hosts let it pass.
    if (came >= 0 && came <= expected) return 0;
    return carrier.error_of(came < 0 ? Carrier::Failure::unpackable : Carrier::Failure::truncated);
  }

 private:
  static constexpr std::size_t most_slots = select::MailboxSizes::most_lent_to_neighbours;  ///< On loan.
  /// The words of both sides about a mailbox.
  struct Word {
    std::int64_t place = -1;  // sender: offset in its node memory, or -1: none; reader: -1: cannot be read
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
    std::vector<std::size_t> order;  ///< Order of the words: by ranks, then tags.
    End& add(const End& end);
    void sort() noexcept;
  };
  void pass_on(Side& from, Side& to) noexcept;
  void cut(End& end) noexcept;

  MailRoom room_;
  Channel* channel_ = nullptr;  // set while words are under way
  std::array<LoanedSlot, most_slots> slots_;
  std::size_t lent_ = 0;
  Side out_, in_;
  bool settled_ = false;
};

}  // namespace heddle::engine
