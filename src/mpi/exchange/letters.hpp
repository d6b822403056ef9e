// mpi/exchange/letters.hpp: short blocks of blocking collectives between ranks of a node, without messages: a box for each
// ordered pair of them, in memory that both have mapped. Includes lent.hpp, parcels.hpp, staging/element.hpp,
// select/collective/letters.hpp.
//
//   letters.next(own);                                                  // at every blocking exchange of the communicator
//   if (bytes <= letters.longest_to(rank)) letters.put(block, ...);     // else a message
//   if (bytes <= letters.longest_from(rank)) letters.get(block, ...);   // again and again, until it has come
//
//   sender's node memory     | closed, taken, wants | number 1, 3, 5 ... | number 2, 4, 6 ... |
//                              the reader's line      each half: number, bytes, call, packed block
//
// Letter n of a pair goes into the half n mod 2, when n - 2 has been taken. That is waited for, though seldom: a collective may
// wait for other ranks, and of all ranks one that is in the earliest collective never has to, since all letters of earlier ones
// have been taken.
//
// Both ranks of a pair know a block's bytes, and so whether it is a letter. Where a program's mistake makes them differ, they
// still meet: a reader that expects a message says in which call (`wants`) and then looks for a letter; a sender puts its
// letter and then looks whether a message is wanted; by exchanging the number only one of them has it. One that expects a
// letter looks for a message while it waits.
//
// Boxes are settled on by three of the first exchanges (a place and its size, an answer, use), at which all ranks of the node
// are in the same call: where the memory of one of them is full, or HEDDLE_LETTERS=off, its blocks are messages.
#pragma once

#include <vector>

#include "mpi/exchange/lent.hpp"
#include "mpi/exchange/parcels.hpp"
#include "mpi/types/element.hpp"
#include "select/collective/letters.hpp"

namespace heddle::mpi {

class Letters {
 public:
  /// @param comm  Of the program, with the ranks of the companion. Throws std::bad_alloc.
  Letters(MPI_Comm comm, int me, int ranks);
  Letters(const Letters&) = delete;
  Letters& operator=(const Letters&) = delete;
  ~Letters();

  /// On all ranks alike, before anything of the exchange. `own`: the companion.
  void next(MPI_Comm own) noexcept {
    if (++call_ <= use_at && !lanes_.empty()) settle_further(own);
  }
  [[nodiscard]] bool any() const noexcept { return call_ >= use_at && !lanes_.empty(); }
  /// Bytes; 0: no letters to, or from, that rank.
  [[nodiscard]] Bytes longest_to(int rank) noexcept;
  [[nodiscard]] Bytes longest_from(int rank) noexcept;

  /// `own`: the companion, where the host is kept going while the half is not free. False: a message is wanted instead.
  bool put(const Block& block, Element& element, MPI_Comm own, int& error) noexcept;
  enum class Came { not_yet, here, as_message };
  /// `as_message`: what has come is a later call's.
  Came get(const Block& block, Element& element, MPI_Comm own, int& error) noexcept;
  /// Of a block that is too long for a letter: true if one came nevertheless, and no message will.
  bool get_instead(const Block& block, Element& element, MPI_Comm own, int& error) noexcept;
  [[nodiscard]] bool crowded() const noexcept { return node_->crowded(); }

 private:
  static constexpr int ask_at = 2, answer_at = 3, use_at = 4;  // exchanges: one that comes once needs no boxes

  struct Lane {
    int rank;
    int peer;                  // of the node
    std::byte* out = nullptr;  // null: none
    std::byte* in = nullptr;
    std::size_t in_half = 0;  // as its sender has cut it, which may have mapped fewer ranks, or more
    std::uint64_t sent = 0, taken = 0;
  };
  [[nodiscard]] Lane* lane(int rank) noexcept;  // null: of another node
  static std::byte* half(std::byte* box, std::size_t half, std::uint64_t number) noexcept {
    return box + box_line + (number % 2 ? 0 : half);
  }
  [[nodiscard]] std::size_t own_half() const noexcept { return static_cast<std::size_t>(box_.half); }
  static std::byte* next_in(const Lane& from) noexcept { return half(from.in, from.in_half, from.taken + 1); }
  void settle_further(MPI_Comm own) noexcept;
  static void take(Lane& from) noexcept;
  static void open(Lane& from, const Block& block, Element& element, MPI_Comm own, int& error) noexcept;
  void say(MPI_Comm own) noexcept;
  void ask() noexcept;
  void answer() noexcept;
  void use() noexcept;

  Node* node_ = nullptr;
  Lent lent_;
  select::LetterBox box_;
  std::int64_t call_ = 0;
  std::vector<Lane> lanes_;  // by rank
  struct Word {
    std::int64_t place;  // in the sender's node memory; -1: no box. As an answer: 0 or 1
    std::int64_t half;
  };
  std::vector<Word> said_, heard_;
  std::vector<MPI_Request> requests_;
};

}  // namespace heddle::mpi
