// engine/collective/gathered.hpp: the blocks of all ranks of an Allgatherv, packed in rank order.
// They are in the program's buffer if they lie so there, or else in a staging buffer.
//
//   Gathered<MPI_Datatype, Element, MPI_Comm> blocks(ranks, me, {MPI_ERR_NO_MEM, MPI_ERR_TRUNCATE});
//   if (!blocks || !blocks.measure(send, receive)) ...
//   if (const int error = blocks.begin(send, comm)) return error;            // this rank's block is in its place
//   ... Gathering(choice, me, {blocks.memory(), blocks.starts()}, channel) ...
//   return blocks.end(comm);                                                 // all blocks are in the program's buffer
//
// The template parameter Element knows a datatype. It has look(type), measures() with size and
// extent, and dense(address, count). Its pack() and unpack() take the communicator. Errors are
// Element's codes; 0: none. The tests need the parameters: their datatypes are numbers.
#pragma once

#include <algorithm>

#include "engine/base/arguments.hpp"
#include "threads/staging_pool.hpp"

namespace heddle::engine {

template <class Type, class Element, class Communicator>
class Gathered {
 public:
  using Bytes = layout::Bytes;
  struct Errors {
    int no_memory;
    int truncated;  ///< 0: a block that is longer than others expect is cut without an error.
  };

  Gathered(int ranks, int me, Errors errors) noexcept : ranks_(ranks), me_(me), errors_(errors), starts_(ranks + 1) {
    if (starts_) starts_[0] = 0;
  }
  /// False: no memory.
  explicit operator bool() const { return static_cast<bool>(starts_); }

  /// False: there is a number that no buffer has.
  /// @param in_place  `send` means nothing: this rank's block lies in its place.
  bool measure(const Buffer<Type>& send, const VArgument<Type>& receive, bool in_place) noexcept {
    receive_ = &receive;
    in_place_ = in_place;
    if (type_.look(receive.type) != 0 || (!in_place_ && sent_.look(send.type) != 0)) return false;
    const Bytes size = type_.measures().size;
    const Bytes extent = type_.measures().extent;
    for (int i = 0; i < ranks_; ++i) {
      Bytes bytes = 0;
      if (receive.counts[i] < 0 || __builtin_mul_overflow(receive.counts[i], size, &bytes) ||
          __builtin_add_overflow(starts_[i], bytes, &starts_[i + 1]))
        return false;
      in_order_ = in_order_ && (bytes == 0 || receive.displacements[i] * extent == starts_[i] + shift(i));
    }
    // If this rank sends more than the others expect, the program is wrong. They get the bytes that
    // they have room for.
    const Bytes item = in_place_ ? 0 : sent_.measures().size;
    fits_ = item > 0 ? std::min(send.count, bytes(me_) / item) : 0;
    truncated_ = !in_place_ && item > 0 && fits_ < send.count;
    return true;
  }

  [[nodiscard]] Bytes bytes(int rank) { return starts_[rank + 1] - starts_[rank]; }
  [[nodiscard]] const Bytes* starts() { return starts_.get(); }
  [[nodiscard]] std::byte* memory() const { return memory_; }
  /// True: the blocks are in a staging buffer.
  [[nodiscard]] bool staged() const { return staged_; }

  /// Puts this rank's block in its place.
  int begin(const Buffer<Type>& send, Communicator comm) noexcept {
    if (in_order_) memory_ = type_.dense(address(first_), starts_[ranks_] / type_.measures().size);
    staged_ = !memory_;
    if (staged_) {
      if (!staging_.reserve(starts_[ranks_])) return errors_.no_memory;
      memory_ = staging_.data();
    }
    std::byte* const mine = memory_ + starts_[me_];
    if (!in_place_) return sent_.pack(send.address, fits_, mine, comm);
    return staged_ ? type_.pack(address(me_), receive_->counts[me_], mine, comm) : 0;
  }
  /// Puts all blocks into the program's buffer.
  int end(Communicator comm) noexcept {
    for (int i = 0; staged_ && i < ranks_; ++i) {
      if (bytes(i) == 0 || (i == me_ && in_place_)) continue;
      const int error = type_.unpack(memory_ + starts_[i], address(i), receive_->counts[i], comm);
      if (error != 0) return error;
    }
    return truncated_ ? errors_.truncated : 0;
  }

 private:
  [[nodiscard]] std::byte* address(int rank) const {
    return static_cast<std::byte*>(const_cast<void*>(receive_->address)) +
           receive_->displacements[rank] * type_.measures().extent;
  }
  /// The distance from a block's packed offset to its place behind the buffer argument. The first
  /// block with bytes sets it.
  [[nodiscard]] Bytes shift(int rank) noexcept {
    if (first_ < 0) {
      first_ = rank;
      shift_ = receive_->displacements[rank] * type_.measures().extent - starts_[rank];
    }
    return shift_;
  }

  int ranks_, me_;
  Errors errors_;
  const VArgument<Type>* receive_ = nullptr;
  Element type_, sent_;
  int first_ = -1;  // first block that has bytes
  Bytes shift_ = 0;
  layout::Count fits_ = 0;  // elements of `send` that the others have room for
  bool truncated_ = false;
  bool in_order_ = true;
  bool in_place_ = false;
  bool staged_ = false;  // memory_ is the staging buffer
  std::byte* memory_ = nullptr;
  threads::Scratch<Bytes> starts_;
  threads::StagingBuffer staging_;
};

}  // namespace heddle::engine
