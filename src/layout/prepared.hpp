// layout/prepared.hpp: a node made ready to be moved whole, again and again: its loops ordered,
// their kernels chosen.
//
//   struct of faces   steps {nest, user 0, packed 0}, {nest, user 8320, packed 1560}, ...
//
// Choosing takes longer than packing a few hundred bytes, and a halo of nine small faces would pay it nine times a message.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "layout/kernel/ready.hpp"

namespace heddle::layout {

struct Node;

struct Step {
  Bytes user = 0;               ///< Where it begins, in memory
  Bytes packed = 0;             ///< and in the packed stream.
  const Node* other = nullptr;  ///< Not a nest of loops: to be moved as a node. Null: `nest`.
  kernel::Ready nest;
};

using kernel::Direction;

struct Prepared {
  std::uint32_t generation = 0;  ///< Of kernels and thresholds, for which the steps hold.
  std::vector<Step> steps;       ///< None: the node is moved by looking at it.
};

/// Of a loop nest or of a struct; without steps for anything else, and where there is no memory.
std::unique_ptr<const Prepared> prepare(const Node& node, Direction direction) noexcept;

/// Made when it is first asked for. Any number of threads may ask. A copy has to make its own.
class Lazy {
 public:
  Lazy() = default;
  Lazy(const Lazy&) noexcept {}
  Lazy& operator=(const Lazy&) = delete;
  ~Lazy() { delete made_.load(std::memory_order_acquire); }

  /// Null if there is none to be had.
  [[nodiscard]] const Prepared* get(const Node& node, Direction direction) const noexcept {
    const Prepared* made = made_.load(std::memory_order_acquire);
    return made ? made : make(node, direction);
  }

 private:
  const Prepared* make(const Node& node, Direction direction) const noexcept;
  mutable std::atomic<const Prepared*> made_{nullptr};
};

}  // namespace heddle::layout
