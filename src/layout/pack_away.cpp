#include "layout/pack_away.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

#include "layout/pack.hpp"

namespace heddle::layout {
namespace {

constexpr Bytes stage_bytes = 16 << 10;  // a part of the first-level cache; on the stack: warm, and each thread's own
constexpr double long_block = 4 << 10;   // bytes: from here on memcpy alone is as good

void copy_lines(void* to, const void* from, Bytes bytes) {
#if defined(__x86_64__)
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
#else
  std::memcpy(to, from, static_cast<std::size_t>(bytes));
#endif
}

}  // namespace

void pack_away(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, void* out) {
  const Node* node = layout.node();
  if (!node || static_cast<double>(node->size) >= long_block * static_cast<double>(node->blocks) || length < 1024)
    return pack_range(layout, count, base, from, length, out);
  alignas(64) std::byte stage[stage_bytes];
  auto* to = static_cast<std::byte*>(out);
  while (length > 0) {
    const Bytes part = std::min(length, stage_bytes);
    pack_range(layout, count, base, from, part, stage);
    copy_lines(to, stage, part);
    from += part;
    to += part;
    length -= part;
  }
}

}  // namespace heddle::layout
