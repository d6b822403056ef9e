// engine/file/coverage.cpp: marks each byte that a rank writes, by the kernels that store the
// bytes.
#include "engine/file/coverage.hpp"

#include <algorithm>
#include <cstring>

namespace heddle::engine::files {
namespace {
constexpr Bytes ones_at_once = Bytes{1} << 15;  // stay in the first-level cache
constexpr std::byte marked_byte{1};
}  // namespace

void Coverage::reserve(Bytes most) {
  marks_.reserve(most);
  ones_.reserve(ones_at_once);
  std::memset(ones_.data(), static_cast<int>(marked_byte), ones_at_once);
}

bool Coverage::complete(const Round& round, std::span<const View> views) {
  if (round.bytes() != round.piece.bytes()) return false;
  if (round.owned.size() <= 1) return true;  // a view shows no byte twice
  mark(round, views);
  return find(0, round.piece.bytes(), false) == round.piece.bytes();
}

void Coverage::mark(const Round& round, std::span<const View> views) {
  std::memset(marks_.data(), 0, static_cast<std::size_t>(round.piece.bytes()));
  for (const Part& part : round.owned) {
    const View& view = views[static_cast<std::size_t>(part.rank)];
    for (Bytes done = 0; done < part.bytes; done += ones_at_once)
      view.store(part.from + done, std::min(ones_at_once, part.bytes - done), ones_.data(), marks_.data(), round.piece.low);
  }
}

Bytes Coverage::find(Bytes at, Bytes end, bool marked) const {
  if (at >= end) return end;
  const void* const found =
      std::memchr(marks_.data() + at, marked ? static_cast<int>(marked_byte) : 0, static_cast<std::size_t>(end - at));
  return found ? static_cast<const std::byte*>(found) - marks_.data() : end;
}

}  // namespace heddle::engine::files
