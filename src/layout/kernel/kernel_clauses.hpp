// layout/kernel/kernel_clauses.hpp: the decision itself, clause by clause. The first clause that
// holds ends it. docs/kernels.md has the figures. Other rooms call choose_kernel(). These functions
// are always inlined into the code of each instruction set (kernel_table.hpp), where a part of the
// facts is constant. So a row of a few blocks does not wait for the decision.
#pragma once

#include "layout/kernel/cache_lines.hpp"
#include "layout/kernel/choose_kernel.hpp"
#include "layout/kernel/repeated_pieces.hpp"

#define HEDDLE_INLINE [[gnu::always_inline]] inline

namespace heddle::layout::kernel {
constexpr Bytes page_size = 4096;

/// True for blocks on lines of their own, so many that prefetching always pays.
HEDDLE_INLINE bool many_lines(const Dim& outer, const Dim& inner, const Thresholds& by) {
  return outer.count * inner.count >= by.many_lines && longer_stride(inner) >= cache_line;
}

/// True if the lines of a row's blocks evict each other. Blocks of several lines need a few more
/// lines in a set, and blocks of two lines, which are stored twice, need more still.
HEDDLE_INLINE bool collides(Bytes stride, Count count, Bytes block, const Thresholds& by) {
  if (stride % 512 != 0) return false;  // the common case, in one test
  const Count ways = block <= cache_line ? by.ways : block <= 2 * cache_line ? by.ways + 4 : by.ways + 2;
  return sets_shared(stride, block) <= (block <= 16 ? 8 : 4) && count > ways * sets_met(stride);
}

HEDDLE_INLINE bool collides_in_pages(Bytes stride, Count count, Bytes block, const Thresholds& by) {
  return stride % (cache_line * cache_sets) == 0 && block > 4 * cache_line && block <= 512 && count > by.ways + 2 &&
         count <= lines_kept;
}

/// True if the prefetcher fetches such blocks from memory. It follows the stride of one load
/// instruction, within pages.
HEDDLE_INLINE bool comes_by_itself(Bytes stride, Count count, const Thresholds& by) {
  return count > by.second_cache / cache_line && stride < page_size && stride > -page_size;
}

/// Chooses for blocks of up to a line whose lines evict each other. False: they do not.
HEDDLE_INLINE bool collide(const Dim& inner, Bytes block, const Thresholds& by, Choice& choice) {
  if (block % 4 != 0) return false;
  if (inner.to != block && collides(inner.to, inner.count, block, by)) {
    choice = {Kernel::few_stores, Because::stores_collide};
    return true;
  }
  if (inner.from == block || !collides(inner.from, inner.count, block, by) || comes_by_itself(inner.from, inner.count, by))
    return false;
  choice = {Kernel::few_loads, Because::loads_collide};
  return true;
}

/// Chooses for blocks of more than a line whose stores evict each other. The processor takes care
/// of loads. False: they do not.
HEDDLE_INLINE bool long_ones_collide(const Dim& inner, Bytes block, const Thresholds& by, Choice& choice) {
  if (inner.to == block) return false;
  if (collides_in_pages(inner.to, inner.count, block, by)) {
    choice = {Kernel::units_double, Because::pages_collide};
    return true;
  }
  if (!collides(inner.to, inner.count, block, by)) return false;
  choice = {block == 128                        ? Kernel::few_stores
            : sets_shared(inner.to, block) <= 2 ? Kernel::units_twice
                                                : Kernel::units,
            Because::stores_collide};
  return true;
}

HEDDLE_INLINE Choice choose_long(const Dim& outer, const Dim& inner, Bytes block, Isa isa, const Thresholds& by) {
  const bool from_memory = span_of(outer, inner) > by.memory_from;
  const Bytes wide = widest_move(isa);
  if (isa == Isa::avx512) {
    const bool masked = inner.from > block && !from_memory;  // from memory, the processor's prefetches help
    if (masked && block <= 2 * wide) return {Kernel::two_vectors_masked, Because::short_vectors};
    if (block <= wide + wide / 2) return {Kernel::two_vectors, Because::short_vectors};
  }
  if (block >= by.library_from && longer_stride(inner) >= page_size && from_memory)
    return {Kernel::library, Because::own_pages};
  if ((block - 1) / wide <= 7) return {Kernel::vectors, Because::few_vectors};
  return {Kernel::long_blocks, Because::many_vectors};
}

/// True if small blocks go through windows of 64 bytes: one side is packed, and several blocks lie
/// in one window or two.
HEDDLE_INLINE bool in_windows(const Dim& outer, const Dim& inner, Bytes block, const Thresholds& by) {
  if (block > 32 || inner.count < 8 || inner.count * outer.count < by.windows_from) return false;
  if (inner.to == block && inner.from > block) {
    // From memory, plain loads are better for larger blocks, which keep the prefetcher busier, and
    // for blocks farther apart, which are prefetched.
    if ((block >= 16 || inner.from >= 32) && inner.from * inner.count > by.memory_from) return false;
    const Bytes double_window = (128 - block) / inner.from + 1;
    return inner.from + block <= 128 && double_window * block >= 24;
  }
  return inner.from == block && inner.to > block && 4 * inner.to + block <= 64;
}

enum class Gait { unrolled, single, ahead };

HEDDLE_INLINE Gait gait_of(const Dim& outer, const Dim& inner, Bytes block, const Thresholds& by, Because& because) {
  const Bytes stride = longer_stride(inner), span = span_of(outer, inner);
  if (span > by.memory_from && inner.count >= 8) {
    // Some blocks farther apart are in the second-level cache. If most of the memory is packed, the
    // processor's own prefetches suffice.
    const bool sparse = stride >= 128 || (stride >= 32 && 2 * block < stride);
    const bool near = stride <= 512;
    if (sparse && (near || many_lines(outer, inner, by)) && (inner.count >= long_row || outer.count > 1)) {
      because = near ? Because::from_memory : Because::on_many_lines;
      return Gait::ahead;
    }
  }
  if (block % 4 != 0) {
    because = Because::odd_length;
    return Gait::unrolled;
  }
  const bool single = stride >= 512 || (stride >= 128 && span > by.inner_cache);
  because = single ? Because::from_second_cache : stride < 128 ? Because::close : Because::near;
  return single ? Gait::single : Gait::unrolled;
}

/// Blocks that take two or three plain moves and one under a mask.
HEDDLE_INLINE bool awkward(Bytes block) { return block > 2 && block < 32 && (block & (block - 1)) != 0; }

/// Chooses for blocks of up to 64 bytes that move one by one. Their lines do not evict each other.
HEDDLE_INLINE Choice choose_short(const Dim& outer, const Dim& inner, Bytes block, Isa isa, const Thresholds& by) {
  Because because{};
  const Gait gait = gait_of(outer, inner, block, by, because);
  const bool ahead = gait == Gait::ahead;
  if (isa == Isa::avx512) {
    if ((awkward(block) || block == 4 || block == 8 || block == 16) && (inner.to == block || inner.from == block) &&
        (awkward(block) || ahead || (block != 16 && gait == Gait::single))) {
      if (!ahead) because = Because::one_side_packed;
      if (inner.to == block) return {ahead ? Kernel::packed_under_mask_ahead : Kernel::packed_under_mask, because};
      return {ahead ? Kernel::unpacked_under_mask_ahead : Kernel::unpacked_under_mask, because};
    }
    if (span_of(outer, inner) <= by.memory_from && inner.from > inner.to && inner.from >= cache_line) {
      if (block == 16 || block == 32 || block == 64) return {Kernel::masked, Because::lines_unwanted};
      // For blocks in pages of their own this does not pay: whole moves that cross into the next
      // line or page cost more than they save.
      if (block > 32 && block < 64 && block % 4 == 0 && gait == Gait::single && inner.to == block && inner.from <= 2048)
        return {Kernel::packed_under_mask, Because::lines_unwanted};
    }
  }
  if (block % 4 != 0) return {Kernel::unrolled, Because::odd_length};
  return {ahead ? Kernel::ahead : gait == Gait::single ? Kernel::single : Kernel::unrolled, because};
}

/// `t` is the loop with the smaller stride at the destination, `f` the loop with the smaller stride
/// at the source.
HEDDLE_INLINE Choice choose_transpose(const Dim& t, const Dim& f, Bytes block, Isa isa, const Thresholds& by) {
  const Bytes wide = widest_move(isa);
  // Four elements of 16 bytes fill a line, so rows of four are not thin. A segment of a message may
  // have such rows.
  const Count thin = wide == 64 && block == 16 ? 4 : 8;
  if (f.count < thin || t.count < thin) return {Kernel::thin, Because::short_loop};
  if (block > 64) return {Kernel::rows, Because::long_elements};
  const bool elements = t.to == block && f.from == block;  // rows of elements on both sides
  const bool large = t.count * f.count * block >= by.stream_from && f.to % cache_line == 0;
  const bool in_registers = elements && (block == 1 || block == 2 || block == 4 || block == 8 || (block == 16 && wide >= 32));
  // Rows shorter than a line cannot be streamed from registers. Large transposes of them are
  // staged.
  if (in_registers && wide == 64 && block >= 4 && large) return {Kernel::streamed, Because::large_transpose};
  const Count T = block <= 24 ? 32 : 16;
  if (elements && large && block % 4 == 0 && t.count >= 2 * T && f.count >= T && !(in_registers && wide == 64))
    return {Kernel::staged, Because::large_transpose};
  if (in_registers) return {Kernel::squares, Because::whole_elements};
  return {Kernel::tiles, Because::other_elements};
}

HEDDLE_INLINE Choice decide(const Dim& outer, const Dim& inner, Bytes block, bool disagree, Isa isa, const Thresholds& by) {
  if (disagree) return choose_transpose(outer, inner, block, isa, by);
  Choice choice{};
  if (!many_lines(outer, inner, by) &&
      (block > cache_line ? long_ones_collide(inner, block, by, choice) : collide(inner, block, by, choice)))
    return choice;
  if (block > cache_line) return choose_long(outer, inner, block, isa, by);
  if (isa == Isa::avx512 && in_windows(outer, inner, block, by))
    return {span_of(outer, inner) > by.memory_from ? Kernel::windows_ahead : Kernel::windows, Because::neighbours};
  return choose_short(outer, inner, block, isa, by);
}

/// True if the decision needs the reach of a list. Blocks of up to 8 bytes do not: often several of
/// them share a line.
HEDDLE_INLINE bool asks_for_reach(Count blocks, Bytes block, const Thresholds& by) {
  return block > 8 && block <= 64 && blocks >= by.list_from;
}

/// The reach of a list in memory, from a sample of 17 offsets; 0 if the decision does not need it.
template <class Int>
HEDDLE_INLINE Bytes reach_of(const Int* offsets, Count blocks, Bytes block, const Thresholds& by) {
  constexpr Count samples = 16;
  if (!asks_for_reach(blocks, block, by)) return 0;
  Int low = offsets[0], high = low;
  for (Count k = 1; k <= samples; ++k) {
    const Int one = offsets[(blocks - 1) / samples * k];
    low = one < low ? one : low;
    high = one > high ? one : high;
  }
  return Bytes{high} - Bytes{low};
}

HEDDLE_INLINE Choice decide(const ListFacts& facts, const Thresholds& by) {
  const Bytes block = facts.block;
  if (block > 64) return {Kernel::listed_long, Because::long_list_blocks};
  if (asks_for_reach(facts.blocks, block, by) && facts.reach > by.list_memory_from)
    return {Kernel::listed_ahead, Because::far_list};
  const bool packing = facts.direction == Direction::pack;
  if (packing && facts.isa != Isa::portable && (block == 4 || block == 8)) return {Kernel::listed_lanes, Because::lanes};
  if (facts.isa == Isa::avx512 && awkward(block) && (packing || block <= 16))
    return {Kernel::listed_under_mask, Because::one_side_packed};
  return {Kernel::listed, Because::plain_list};
}

HEDDLE_INLINE Choice decide(const PiecesFacts& facts) {
  const Bytes longest = facts.longest;
  if (facts.direction == Direction::pack)
    return {longest <= 16   ? Kernel::pieces_16
            : longest <= 32 ? Kernel::pieces_32
            : longest <= 64 ? Kernel::pieces_64
                            : Kernel::pieces_any,
            Because::longest_piece};
  return {facts.isa == Isa::avx512 && longest <= 32 ? Kernel::pieces_32 : Kernel::pieces_any, Because::longest_piece};
}

HEDDLE_INLINE RecordFacts facts_of(const RecordPlan& plan, Count count, Bytes stride, bool listed, Direction direction,
                                   Isa isa) {
  const bool packing = direction == Direction::pack;
  const Count steps = packing ? plan.gather_count : plan.scatter_count;
  const Step* first = packing ? plan.gather : plan.scatter;
  return {.count = count,
          .stride = stride,
          .listed = listed,
          .size = plan.size,
          .span = plan.high - plan.low,
          .steps = steps,
          .permute = steps > 0 && first->length == 0 && first->mask_b == 0,
          .direction = direction,
          .isa = isa};
}

HEDDLE_INLINE Choice decide(const RecordFacts& facts, const Thresholds& by) {
  const bool packing = facts.direction == Direction::pack;
  if (facts.listed && !packing && facts.size >= by.whole_records_from) return {Kernel::record_whole, Because::long_records};
  if (facts.isa != Isa::avx512) return {Kernel::record_fields, Because::no_permutes};
  if (facts.steps == 1 && facts.permute && !facts.listed && facts.count >= 8) {
    const bool several = packing ? facts.size <= 32 && facts.stride > 0 && facts.span <= 64 && facts.stride + facts.span <= 128
                                 : facts.stride >= facts.span && facts.stride + facts.span <= 64;
    if (several)
      return {facts.stride * facts.count > by.memory_from ? Kernel::record_windows_ahead : Kernel::record_windows,
              Because::window_of_records};
  }
  return {Kernel::record_steps, Because::permutes};
}

}  // namespace heddle::layout::kernel

#undef HEDDLE_INLINE
