// mpi/exchange/letterboxes.hpp: the short blocks of a persistent exchange between two ranks of a node, without messages: the
// sender packs into memory that the receiver has mapped, and raises a flag. Includes exchange.hpp, lent.hpp.
//
//   if (!boxes.agree(*own, exchange)) ...            // at init; takes blocks out of the exchange
//   boxes.start();                                   // packs, flags
//   if (boxes.advance()) ...                         // unpacks what has come; true: all of it
//
//   sender's node memory     | closed | flag 1, 3, 5 ... bytes | flag 2, 4, 6 ... bytes |      a box: lines of 64 bytes
//
// The n-th start writes the half n mod 2 and then n into its flag. Nobody asks whether the half is free: only pairs that send
// to each other have boxes, and of these a rank that starts for the n-th time has received what the other one sent when it
// started for the time n - 1, which it did after it had unpacked what came with n - 2. Nothing is left to be done by a sender
// once it has started; a receiver unpacks in its own completion call.
//
// When a request is freed the other side may not have read its last block yet: `closed` says that it has freed its own
// request, and until then the box is kept.
#pragma once

#include <vector>

#include "mpi/exchange/exchange.hpp"
#include "mpi/exchange/lent.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

class Letterboxes {
 public:
  Letterboxes() = default;
  Letterboxes(const Letterboxes&) = delete;
  Letterboxes& operator=(const Letterboxes&) = delete;
  ~Letterboxes();

  /// Collective: each rank waits for those that it exchanges short blocks with. False: no memory.
  bool agree(const Companion& own, Exchange& exchange) noexcept;

  [[nodiscard]] bool any() const noexcept { return !in_.empty() || !out_.empty(); }
  void start() noexcept;
  bool advance() noexcept;
  /// More ranks than cores.
  [[nodiscard]] bool crowded() const noexcept { return node_ && node_->crowded(); }

 private:
  struct Box {
    Buffer data;
    Derived type;  // the program may free its handle
    std::byte* memory;
    std::size_t half;  // bytes from one to the other
    bool done = true;
  };
  [[nodiscard]] std::byte* half_of(const Box& box) const noexcept {
    return box.memory + box_line + (number_ % 2 ? 0 : box.half);
  }

  bool settle_on(const Companion& own, Exchange& exchange);

  Node* node_ = nullptr;
  Lent lent_;  // where our boxes are
  std::vector<Box> out_, in_;
  std::size_t left_ = 0;  // to be unpacked
  std::uint64_t number_ = 0;
};

}  // namespace heddle::mpi
