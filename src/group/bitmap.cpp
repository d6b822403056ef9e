// group/bitmap.cpp: filling, counting, and choosing the search for this processor.
#include "group/bitmap.hpp"

#include <cstring>
#include <utility>

namespace heddle::group {
namespace {

bool has_bmi2() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
#else
  return false;
#endif
}
const bool quick = has_bmi2();

std::uint32_t lines_for(std::int64_t span) { return static_cast<std::uint32_t>((span + Bitmap::bits - 1) / Bitmap::bits); }

/// Members between two entries of the index, as a power of two: about the members of two lines.
std::uint8_t shift_for(std::int64_t span, std::int64_t size) {
  std::uint8_t shift = 0;
  while (shift < 20 && (std::int64_t{2} << shift) * span <= std::int64_t{2} * Bitmap::bits * size) ++shift;
  return shift;
}

/// Lines that hold the index.
std::uint32_t index_lines(std::int64_t span, std::int64_t size) {
  const std::int64_t entries = ((size - 1) >> shift_for(span, size)) + 2;
  return static_cast<std::uint32_t>((entries * std::int64_t{sizeof(std::uint32_t)} + std::int64_t{sizeof(Bitmap::Line)} - 1) /
                                    std::int64_t{sizeof(Bitmap::Line)});
}

}  // namespace

std::size_t Bitmap::bytes(std::int64_t span, std::int64_t size) {
  return sizeof(Line) * (std::size_t{lines_for(span)} + index_lines(span, size));
}

Rank Bitmap::world_rank(Rank rank) const noexcept {
  const bitmap::View map{line_.get(), filled_, shift_};
  const auto wanted = static_cast<std::uint32_t>(rank);
#if defined(__x86_64__)
  if (quick) return low_ + static_cast<Rank>(bitmap::bmi2::select(map, wanted));
#endif
  return low_ + static_cast<Rank>(bitmap::portable::select(map, wanted));
}

Rank Bitmap::rank_of(Rank world) const noexcept {
  if (world < low_ || std::int64_t{world} - low_ >= std::int64_t{filled_} * bits) return undefined;
  const auto bit = static_cast<std::uint32_t>(world - low_);
  if ((line_[bit / bits].word[bit % bits / 64] >> (bit % bits % 64) & 1) == 0) return undefined;
  const bitmap::View map{line_.get(), filled_, shift_};
#if defined(__x86_64__)
  if (quick) return static_cast<Rank>(bitmap::bmi2::before(map, bit));
#endif
  return static_cast<Rank>(bitmap::portable::before(map, bit));
}

Bitmap::Builder::Builder(Rank low, Rank high, Rank size) {
  map_.low_ = low;
  const std::int64_t span = std::int64_t{high} - low + 1;
  map_.filled_ = lines_for(span);
  map_.lines_ = map_.filled_ + index_lines(span, size);
  map_.shift_ = shift_for(span, size);
  line_ = std::shared_ptr<Line[]>(new Line[map_.lines_]);
}

Bitmap Bitmap::Builder::finish() {
  auto* const index = reinterpret_cast<bitmap::Entry*>(line_.get() + map_.filled_);
  std::uint32_t members = 0, entered = 0;
  for (std::uint32_t l = 0; l < map_.filled_; ++l) {
    line_[l].before = members;
    for (const std::uint64_t word : line_[l].word) members += static_cast<std::uint32_t>(__builtin_popcountll(word));
    for (; entered << map_.shift_ < members; ++entered) index[entered] = l;
  }
  index[entered] = map_.filled_ - 1;
  map_.line_ = std::move(line_);
  return std::move(map_);
}

}  // namespace heddle::group
