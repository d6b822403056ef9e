// layout/lap.cpp: looks from the outermost loop inwards for the first loop that steps within a line
// while its child reaches beyond that line.
#include "layout/lap.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>

namespace heddle::layout {
namespace {

constexpr Bytes line = 64;

/// The lap of `count` copies of `child`, one `stride` apart.
Lap step(Count count, Bytes stride, const ProgramNode& child) {
  const Bytes apart = std::abs(stride);
  if (count < 2 || apart == 0 || apart >= line || child.high - child.low <= line) return {};
  Bytes whole = 0;
  if (__builtin_mul_overflow(child.size, std::min(count, line / std::gcd(apart, line)), &whole)) return {};
  return {child.size, whole};
}

}  // namespace

Lap lap(const Layout& layout, Count count) noexcept {
  const ProgramNode* node = layout.node();
  if (!node) return {};
  if (const Lap outer = step(count, layout.extent(), *node); outer.bytes > 0) return outer;
  for (;;) {
    if (const auto* loop = std::get_if<Loop>(&node->form)) {
      if (const Lap here = step(loop->count, loop->stride, *loop->child); here.bytes > 0) return here;
      node = loop->child.get();
    } else if (const auto* list = std::get_if<BlockIndexed>(&node->form)) {
      node = list->child.get();
    } else {
      return {};
    }
  }
}

Bytes portion(const Lap& lap, Bytes total, Bytes segment, Bytes most) noexcept {
  constexpr Bytes parts = 16;  // least parts of a message, because the other side waits for the first
  if (lap.whole < segment || 2 * lap.bytes > most) return 0;
  const Bytes unit = lap.whole <= most ? lap.whole : lap.bytes;  // leave some lines half done, but not all
  const Bytes units = std::clamp(total / parts, unit, most) / unit;
  const Bytes whole = units * unit / segment * segment;
  return whole > segment ? whole : 0;
}

}  // namespace heddle::layout
