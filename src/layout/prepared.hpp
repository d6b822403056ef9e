// layout/prepared.hpp: a node that is prepared to be moved whole, many times: its loops are ordered
// and their kernels chosen.
//
//   struct of faces   steps {nest, user 0, packed 0}, {nest, user 8320, packed 1560}, ...
//
// Choosing a kernel takes longer than packing a few hundred bytes. A halo of nine small faces would
// pay that nine times a message.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include "layout/kernel/ready.hpp"

namespace heddle::layout {

struct ProgramNode;

struct Step {
  Bytes user = 0;                      ///< Begin in memory.
  Bytes packed = 0;                    ///< Begin in the packed stream.
  const ProgramNode* other = nullptr;  ///< A node that is no nest of loops. Null: use `nest`.
  kernel::Ready nest;
};

using kernel::Direction;

struct Prepared {
  std::uint32_t generation = 0;  ///< Generation of kernels and thresholds for which the steps hold.
  std::vector<Step> steps;       ///< Empty: there are none, and pack.cpp walks the node.
};

/// Prepares a loop nest or a struct. Other nodes get no steps, and neither does any node if memory
/// is short.
std::unique_ptr<const Prepared> prepare(const ProgramNode& node, Direction direction) noexcept;

/// Steps that are prepared at the first call of get(). Any thread may call. A copy prepares its
/// own.
class Lazy {
 public:
  Lazy() = default;
  Lazy(const Lazy&) noexcept {}
  Lazy& operator=(const Lazy&) = delete;
  ~Lazy() { delete made_.load(std::memory_order_acquire); }

  /// Null if memory is short.
  [[nodiscard]] const Prepared* get(const ProgramNode& node, Direction direction) const noexcept {
    const Prepared* made = made_.load(std::memory_order_acquire);
    return made ? made : make(node, direction);
  }

 private:
  const Prepared* make(const ProgramNode& node, Direction direction) const noexcept;
  mutable std::atomic<const Prepared*> made_{nullptr};
};

}  // namespace heddle::layout
