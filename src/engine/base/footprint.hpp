// engine/base/footprint.hpp: the bytes around its buffer argument that a message touches.
#pragma once

#include <algorithm>
#include <optional>

#include "layout/layout.hpp"

namespace heddle::engine {

/// [low, high), bytes from the buffer argument.
struct Footprint {
  layout::Bytes low;
  layout::Bytes high;
  [[nodiscard]] layout::Bytes bytes() const { return high - low; }
};

inline Footprint footprint_of(const layout::Layout& layout, layout::Count count) {
  const layout::Bytes last = (count - 1) * layout.extent();
  return {layout.true_lower_bound() + std::min(last, layout::Bytes{0}),
          layout.true_lower_bound() + layout.true_extent() + std::max(last, layout::Bytes{0})};
}

/// The same for a layout and a count that another process has sent. Nothing: there are no elements,
/// or the numbers overflow.
inline std::optional<Footprint> checked_footprint_of(const layout::Layout& layout, layout::Count count) {
  layout::Bytes last = 0, high = 0;
  if (count <= 0 || __builtin_mul_overflow(count - 1, layout.extent(), &last) ||
      __builtin_add_overflow(layout.true_lower_bound(), layout.true_extent(), &high) ||
      __builtin_add_overflow(last, last < 0 ? layout.true_lower_bound() : high, &last))
    return std::nullopt;
  return footprint_of(layout, count);
}

}  // namespace heddle::engine
