// bench/groups/seed.hpp: the groups of seed 003 (Chaarawi and Gabriel, §2), for comparison only. A group is the difference to
// its parent. A look-up asks parent after parent, and walks ranges and bits from the start.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::bench::seed {

class Group {
 public:
  virtual ~Group() = default;
  /// The rank in the parent.
  [[nodiscard]] virtual int in_parent(int rank) const = 0;
  [[nodiscard]] int world_rank(int rank) const {
    for (const Group* group = this; group; group = group->parent.get()) rank = group->in_parent(rank);
    return rank;
  }
  std::shared_ptr<const Group> parent;  ///< None: the world, a plain list.
};

enum class Kind { range, strided, bitmap };

/// Every other rank of a parent of `size`, beginning with the first.
std::shared_ptr<const Group> even(Kind kind, int size, std::shared_ptr<const Group> parent);

}  // namespace heddle::bench::seed
