// mpi/exchange/lent.hpp: a slot of this process's node memory that other ranks of the node read boxes from, and what becomes of
// it when its owner goes. Includes node.hpp.
//
//   Lent lent = Lent::from(*Node::here());           // false: none to be had
//   box = lent.memory() + ...;                       // lines of 64 bytes, of which the reader owns the first
//   std::move(lent).retire({box, ...});              // kept until every box's reader has closed it
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

#include "mpi/node/node.hpp"

namespace heddle::mpi {

/// What two ranks of a node tell each other by.
using Flag = std::atomic<std::uint64_t>;
inline Flag& flag(std::byte* at) noexcept { return *reinterpret_cast<Flag*>(at); }

constexpr std::size_t box_line = 64;  ///< Of a box; flags of different writers share none.

/// A box begins with what its reader says: not 0 is that it reads no more.
inline Flag& closed(std::byte* box) noexcept { return flag(box); }

class Lent {
 public:
  Lent() = default;
  Lent(Lent&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}
  Lent& operator=(Lent&& other) noexcept {
    std::swap(memory_, other.memory_);
    return *this;
  }
  ~Lent();
  /// There are only so many, and node memory may be full.
  static Lent from(Node& node);
  explicit operator bool() const noexcept { return memory_ != nullptr; }
  [[nodiscard]] std::byte* memory() const noexcept { return memory_; }
  static constexpr std::size_t bytes() { return static_cast<std::size_t>(engine::slot_bytes); }
  /// The slot goes back when all these boxes are closed, or at once if there are none.
  void retire(std::vector<std::byte*> boxes) && noexcept;
  /// The slot never goes back: who reads it is not known for lack of memory.
  void abandon() noexcept { memory_ = nullptr; }

 private:
  struct Attic;
  static Attic& attic();

  std::byte* memory_ = nullptr;
};

}  // namespace heddle::mpi
