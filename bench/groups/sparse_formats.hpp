// bench/groups/sparse_formats.hpp: the groups of Chaarawi and Gabriel 2008, §2, for comparison. A
// group is stored as the difference to its parent. A look-up goes from parent to parent, and
// searches ranges and bits from the start.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace heddle::bench::sparse_formats {

class Group {
 public:
  virtual ~Group() = default;
  /// Returns the rank in the parent.
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

}  // namespace heddle::bench::sparse_formats
