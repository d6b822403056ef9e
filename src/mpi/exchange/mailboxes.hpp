// mpi/exchange/mailboxes.hpp: mailboxes between this rank and others of its node (engine/mailbox.hpp), settled on by messages:
// the sender of each says where it is, its reader whether it can read there. Includes node.hpp.
//
//   Mailboxes mailboxes;
//   mailboxes.offer(rank, tag, peer, slot);                  // for what this rank sends: its i-th is out(i)
//   mailboxes.await(rank, tag, peer);                        // for what it receives: in(i)
//   mailboxes.say(own); mailboxes.answer(own); mailboxes.settle();
//
// The three steps may lie far apart: each waits for the messages of the one before.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "mpi/node/node.hpp"
#include "select/collective/mailboxes.hpp"

namespace heddle::mpi {

class Mailboxes {
 public:
  Mailboxes() = default;
  /// Memory for so many each way: offer() and await() take no more then. Throws std::bad_alloc.
  void reserve(std::size_t each_way) {
    out_.reserve(each_way);
    in_.reserve(each_way);
    requests_.reserve(2 * each_way);
  }
  Mailboxes(const Mailboxes&) = delete;
  Mailboxes& operator=(const Mailboxes&) = delete;
  ~Mailboxes();

  /// @param peer  The rank's in the node; -1: there will be no mailbox, and the other side knows it. Throws std::bad_alloc.
  void offer(int rank, int tag, int peer, Bytes slot) { add(out_, {.rank = rank, .tag = tag, .peer = peer}).word.slot = slot; }
  void await(int rank, int tag, int peer) { add(in_, {.rank = rank, .tag = tag, .peer = peer}); }

  // `own`: a communicator of Heddle's, the same in both.
  void say(MPI_Comm own) noexcept;
  void answer(MPI_Comm own) noexcept;
  void settle() noexcept;

  /// False: none.
  [[nodiscard]] engine::Mailbox& out(std::size_t i) noexcept { return out_[i].mailbox; }
  [[nodiscard]] engine::Mailbox& in(std::size_t i) noexcept { return in_[i].mailbox; }

  /// MPI's error code of a block in whose place so many bytes have come (Mailbox::bytes).
  static int error_of(Bytes came, Bytes expected) noexcept {
    // Less than is expected is a mistake, too, which hosts let pass.
    return came < 0 ? MPI_ERR_OTHER : came > expected ? MPI_ERR_TRUNCATE : MPI_SUCCESS;
  }

 private:
  static constexpr std::size_t most_slots = select::MailboxSizes::most_lent_to_neighbours;  ///< On loan.
  /// What both sides say of a mailbox.
  struct Word {
    std::int64_t place = -1;  // the sender: where in its node memory; -1: nowhere. The reader: -1: not to be read
    std::int64_t slot = 0;
  };
  struct End {
    int rank, tag, peer;
    engine::Mailbox mailbox{};
    Word word{};
    std::size_t in = 0;  ///< The loaned slot that it is cut from.
  };
  End& add(std::vector<End>& ends, const End& end);
  void pass_on(std::vector<End>& from, std::vector<End>& to, MPI_Comm own) noexcept;
  void wait() noexcept;

  void cut(End& end, Node& node) noexcept;

  std::array<engine::LoanedSlot, most_slots> slots_;
  std::size_t lent_ = 0;
  std::vector<End> out_, in_;
  std::vector<MPI_Request> requests_;
  bool settled_ = false;
};

}  // namespace heddle::mpi
