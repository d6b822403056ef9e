// layout/pack_away.cpp: stores past the caches or through them, and tries both ways of packing
// once.
#include "layout/pack_away.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

#if defined(__x86_64__)
#include <emmintrin.h>
#endif

#include "layout/cursor.hpp"
#include "layout/pack.hpp"

namespace heddle::layout {
namespace {

constexpr Bytes stage_bytes = 16 << 10;        // a part of the first-level cache, on the stack: warm, and private to the thread
constexpr Bytes non_temporal_piece = 8 << 10;  // from this size on memcpy copies like copy_lines()
constexpr Bytes cache_line = 64;

void copy(std::byte* to, const std::byte* from, Bytes bytes) { std::memcpy(to, from, static_cast<std::size_t>(bytes)); }

#if defined(__x86_64__)
void copy_lines(std::byte* to, const std::byte* from, Bytes bytes) {
  asm volatile("rep movsb" : "+D"(to), "+S"(from), "+c"(bytes) : : "memory");
}

/// A store past the caches is quick if it fills a line.
void stream_lines(std::byte* to, const std::byte* from, Bytes bytes) {
  const Bytes lead = std::min(bytes, static_cast<Bytes>(-reinterpret_cast<std::uintptr_t>(to) % cache_line));
  copy(to, from, lead);
  Bytes at = lead;
  for (; at + cache_line <= bytes; at += cache_line)
    for (Bytes i = at; i < at + cache_line; i += 16)
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + i), _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i)));
  copy(to + at, from + at, bytes - at);
}

/// Streamed stores are not ordered. The fence makes them visible before later stores.
void stream_fence() { _mm_sfence(); }
#else
void copy_lines(std::byte* to, const std::byte* from, Bytes bytes) { copy(to, from, bytes); }
void stream_lines(std::byte* to, const std::byte* from, Bytes bytes) { copy(to, from, bytes); }
void stream_fence() {}
#endif

/// The work of a call: the elements, and the kind of stores.
struct Away {
  const Layout& layout;
  Count count;
  const void* base;
  Stores stores;

  void lines(std::byte* to, const std::byte* from, Bytes bytes) const {
    (stores == Stores::streamed ? stream_lines : copy_lines)(to, from, bytes);
  }

  void in_stages(Bytes from, Bytes length, std::byte* to) const {
    alignas(64) std::byte stage[stage_bytes];
    while (length > 0) {
      const Bytes part = std::min(length, stage_bytes);
      pack_range(layout, count, base, from, part, stage);
      lines(to, stage, part);
      from += part;
      to += part;
      length -= part;
    }
  }

  /// Copies long pieces directly, and runs of short pieces through the stage.
  void long_ones_straight(Bytes from, Bytes length, std::byte* to) const {
    Cursor look(layout, count);
    look.seek(from);
    Bytes done = 0;
    for (Bytes seen = 0; seen < length;) {
      const Segment piece = look.next(length - seen);
      if (piece.length >= non_temporal_piece) {
        in_stages(from + done, seen - done, to + done);
        const std::byte* const begin = static_cast<const std::byte*>(base) + piece.offset;
        (stores == Stores::streamed ? stream_lines : copy)(to + seen, begin, piece.length);
        done = seen + piece.length;
      }
      seen += piece.length;
    }
    in_stages(from + done, length - done, to + done);
  }
};

/// The trial of one class of calls. Threads may take part at the same time: a lost sample does no
/// harm.
class Trial {
 public:
  enum class Way : std::uint8_t { staged, straight };

  /// @param pack  pack(way) packs the part.
  template <class Pack>
  void run(Bytes length, const Pack& pack) {
    const int number = begun_.load(std::memory_order_relaxed);
    if (number >= samples) return pack(best());
    begun_.store(number + 1, std::memory_order_relaxed);
    const Way way = (number + number / 2) % 2 == 0 ? Way::staged : Way::straight;  // each is as often the first of two
    const auto start = std::chrono::steady_clock::now();
    pack(way);
    const auto ns = std::chrono::duration<float, std::nano>(std::chrono::steady_clock::now() - start).count();
    std::atomic<float>& least = least_[static_cast<int>(way)];
    least.store(std::min(least.load(std::memory_order_relaxed), ns / static_cast<float>(length)), std::memory_order_relaxed);
  }

 private:
  static constexpr int samples = 16;
  static constexpr float clearly = 0.95F;

  [[nodiscard]] Way best() const noexcept {
    const float staged = least_[0].load(std::memory_order_relaxed), straight = least_[1].load(std::memory_order_relaxed);
    return straight < clearly * staged ? Way::straight : Way::staged;
  }

  std::atomic<int> begun_{0};
  std::atomic<float> least_[2]{std::numeric_limits<float>::max(), std::numeric_limits<float>::max()};  // ns a byte
};

/// A class has blocks of up to 16, 64, 256, 1024 bytes in the mean, or longer, and parts of up to
/// 4, 16, 64 KiB, or longer.
constinit Trial trials[5][4];
constinit bool trials_wanted = true;

int class_of(Bytes value, Bytes first, int last) noexcept {
  const auto digits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>((value - 1) / first)));
  return std::min((digits + 1) / 2, last);
}

Trial& trial_of(Bytes block, Bytes part) noexcept { return trials[class_of(block, 16, 4)][class_of(part, 4096, 3)]; }

/// True for an irregular list of few pieces, where a look at each piece costs almost nothing.
bool of_different_lengths(const ProgramNode& node) {
  constexpr Bytes few = 1 << 10;  // mean bytes of a piece, at least
  const auto* list = std::get_if<Indexed>(&node.form);
  return list && list->units.size() == 0 && node.size >= few * node.blocks;
}

}  // namespace

void pack_away(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, void* out, Stores stores) {
  const ProgramNode* node = layout.node();
  auto* to = static_cast<std::byte*>(out);
  if (!node || length < 1024) return pack_range(layout, count, base, from, length, to);
  const bool long_pieces = node->size >= non_temporal_piece * node->blocks;
  const Away away{layout, count, base, stores};
  if (stores == Stores::cached && long_pieces) return pack_range(layout, count, base, from, length, to);
  if (long_pieces || of_different_lengths(*node))
    away.long_ones_straight(from, length, to);
  else if (stores == Stores::streamed || !trials_wanted)
    away.in_stages(from, length, to);
  else
    trial_of(node->size / node->blocks, length).run(length, [&](Trial::Way way) {
      if (way == Trial::Way::straight) return pack_range(layout, count, base, from, length, to);
      away.in_stages(from, length, to);
    });
  if (stores == Stores::streamed) stream_fence();
}

void try_ways_of_packing_away(bool wanted) noexcept { trials_wanted = wanted; }

void copy_away(const void* packed, Bytes length, void* out, Stores stores) {
  const auto* from = static_cast<const std::byte*>(packed);
  auto* to = static_cast<std::byte*>(out);
  if (stores == Stores::cached) return copy_lines(to, from, length);
  stream_lines(to, from, length);
  stream_fence();
}

}  // namespace heddle::layout
