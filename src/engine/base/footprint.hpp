// engine/base/footprint.hpp: the bytes around its buffer argument that a message touches.
#pragma once

#include <algorithm>

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

}  // namespace heddle::engine
