// layout/kernel/records.hpp: kernels for records at a constant stride or at listed offsets.
// Compiled once for each instruction set.
#pragma once

#include "layout/kernel/nests.hpp"
#include "layout/kernel/offsets.hpp"
#include "layout/kernel/windows.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

/// The offset of record i.
struct Strided {
  Bytes stride;
  Bytes operator[](Count i) const { return i * stride; }
  [[nodiscard]] Bytes step() const { return stride; }
};
template <class At>
constexpr bool strided = false;
template <>
inline constexpr bool strided<Strided> = true;

/// The number of records in a portion. A portion stays in the first-level cache between passes: at
/// most 64 records, in 8 KiB of memory. (Records a page apart fall into few cache sets, and make
/// small portions.)
inline Count portion_of(const RecordPlan& plan) {
  const Count portion = (8 << 10) / (plan.high - plan.low);
  return portion < 1 ? 1 : portion > 64 ? 64 : portion;
}

/// Moves record after record, piece by piece.
template <bool packing, class At>
void one_by_one(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  for (Count i = 0; i < count; ++i)
    for (Count p = 0; p < plan.piece_count; ++p) {
      const Piece& piece = plan.pieces[p];
      const Bytes memory = at[i] + piece.offset, packed = i * plan.size + piece.packed;
      copy_any(to + (packing ? packed : memory), from + (packing ? memory : packed), piece.length);
    }
}

/// Choosing kernels takes as long as one_by_one() for a few records.
constexpr Count fewest_for_passes = 4;

/// Moves records field by field. Each pass is a loop of one block length. The kernels are chosen
/// once for all portions.
template <bool packing>
void by_fields(std::byte* to, const std::byte* from, const RecordPlan& plan, const Strided at, Count count) {
  const Count pieces = plan.piece_count;
  if (count < fewest_for_passes || pieces > Record::max_pieces) return one_by_one<packing>(to, from, plan, at, count);
  const Count most = portion_of(plan), portion = most < count ? most : count;
  const Dim once{1, 0, 0};
  Dim dim{portion, packing ? plan.size : at.stride, packing ? at.stride : plan.size};
  NestRun runs[Record::max_pieces];
  for (Count p = 0; p < pieces; ++p) {
    const Bytes length = plan.pieces[p].length;
    runs[p] = p > 0 && length == plan.pieces[p - 1].length ? runs[p - 1] : run_for(once, dim, length, false);
  }
  for (; count > 0; count -= portion, to += portion * dim.to, from += portion * dim.from) {
    if (count < portion) dim.count = count;
    for (Count p = 0; p < pieces; ++p) {
      const Piece& piece = plan.pieces[p];
      runs[p](to + (packing ? piece.packed : piece.offset), from + (packing ? piece.offset : piece.packed), once, dim,
              piece.length);
    }
  }
}

template <bool packing, class Int>
void by_fields(std::byte* to, const std::byte* from, const RecordPlan& plan, const Int* at, Count count) {
  if (count < fewest_for_passes) return one_by_one<packing>(to, from, plan, at, count);
  const Count portion = portion_of(plan);
  for (Count begin = 0; begin < count; begin += portion)
    for (Count p = 0; p < plan.piece_count; ++p) {
      const Piece& piece = plan.pieces[p];
      const Count n = count - begin < portion ? count - begin : portion;
      const Bytes packed = begin * plan.size + piece.packed;
      if constexpr (packing)
        gather_steps(to + packed, from + piece.offset, at + begin, n, piece.length, plan.size);
      else
        scatter_steps(to + piece.offset, from + packed, at + begin, n, piece.length, plan.size);
    }
}

#if defined(__AVX512VBMI__)

/// The packed offset of record i.
struct Packed {
  Bytes size;
  Bytes operator[](Count i) const { return i * size; }
};

/// Does one step for records `begin` ... `end`-1. Its masks and its index stay in registers.
template <bool two, bool exact, class To, class From>
inline void step_pass(std::byte* to, const std::byte* from, const Step& step, const To to_at, const From from_at, Count begin,
                      Count end) {
  const __m512i index = _mm512_load_si512(step.index);
  const std::uint64_t mask_a = step.mask_a, mask_b = step.mask_b, mask_out = step.mask_out;
  const std::byte *const in_a = from + step.in_a, *const in_b = from + step.in_b;
  to += step.out;
  // Distances of prefetches. The packed side needs them, too, because loads under a mask do not
  // start the processor's prefetchers.
  [[maybe_unused]] Bytes ahead = 0, ahead_packed = 0;
  if constexpr (strided<From>) ahead = 32 * from_at.step();
  if constexpr (strided<To>) {
    ahead = 32 * to_at.step();
    ahead_packed = 32 * from_at.size;
  }
  for (Count i = begin; i < end; ++i) {
    if constexpr (strided<From>) __builtin_prefetch(in_a + from_at[i] + ahead, 0);
    if constexpr (strided<To>) {
      __builtin_prefetch(to + to_at[i] + ahead, 1);
      __builtin_prefetch(in_a + from_at[i] + ahead_packed, 0);
    }
    __m512i out = _mm512_maskz_loadu_epi8(mask_a, in_a + from_at[i]);
    if constexpr (two)
      out = _mm512_permutex2var_epi8(out, index, _mm512_maskz_loadu_epi8(mask_b, in_b + from_at[i]));
    else
      out = _mm512_permutexvar_epi8(index, out);
    if constexpr (exact)
      _mm512_mask_storeu_epi8(to + to_at[i], mask_out, out);
    else
      _mm512_storeu_si512(to + to_at[i], out);
  }
}

template <class To, class From>
inline void copy_pass(std::byte* to, const std::byte* from, const Step& step, const To to_at, const From from_at, Count begin,
                      Count end) {
  const Bytes length = step.length;
  to += step.out;
  from += step.in_a;
  const auto all = [&](auto&& one) {
    for (Count i = begin; i < end; ++i) one(to + to_at[i], from + from_at[i]);
  };
  if (length == 8) return all([](std::byte* t, const std::byte* f) { copy<8>(t, f); });
  if (length == 16) return all([](std::byte* t, const std::byte* f) { copy<16>(t, f); });
  if (length == 32) return all([](std::byte* t, const std::byte* f) { copy<32>(t, f); });
  if (length == 64) return all([](std::byte* t, const std::byte* f) { copy<64>(t, f); });
  all([length](std::byte* t, const std::byte* f) { copy_any(t, f, length); });
}

template <bool exact, class To, class From>
inline void any_pass(std::byte* to, const std::byte* from, const Step& step, const To to_at, const From from_at, Count begin,
                     Count end) {
  if (step.length > 0)
    copy_pass(to, from, step, to_at, from_at, begin, end);
  else if (step.mask_b != 0)
    step_pass<true, exact>(to, from, step, to_at, from_at, begin, end);
  else
    step_pass<false, exact>(to, from, step, to_at, from_at, begin, end);
}

/// A full store of a step writes past its bytes of the packed stream. That is correct if those
/// bytes are written later. If a record has one step, the next record writes them. Several steps
/// run one after the other over a portion, and the next steps of the same record write those bytes.
template <class At>
void gather_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  const Packed packed{plan.size};
  if (plan.gather_count == 1) {
    const Count last = (63 + plan.size) / plan.size, loose = count > last ? count - last : 0;
    any_pass<false>(to, from, plan.gather[0], packed, at, 0, loose);
    any_pass<true>(to, from, plan.gather[0], packed, at, loose, count);
    return;
  }
  const Count portion = portion_of(plan);
  for (Count begin = 0; begin < count; begin += portion) {
    const Count end = begin + portion < count ? begin + portion : count;
    for (Count s = 0; s < plan.gather_count; ++s)
      if (plan.gather[s].out + 64 <= plan.size)
        any_pass<false>(to, from, plan.gather[s], packed, at, begin, end);
      else
        any_pass<true>(to, from, plan.gather[s], packed, at, begin, end);
  }
}

template <class At>
void scatter_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  const Count portion = portion_of(plan);
  for (Count begin = 0; begin < count; begin += portion)
    for (Count s = 0; s < plan.scatter_count; ++s)
      any_pass<true>(to, from, plan.scatter[s], at, Packed{plan.size}, begin,
                     begin + portion < count ? begin + portion : count);
}

template <bool far>
void gather_windows(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
  const Step& step = plan.gather[0];
  const Bytes span = plan.high - plan.low;
  gather_row<far>(to, from + step.in_a, gather_window(step.index, plan.size, stride, span, count), plan.size, stride, span);
}

template <bool far>
void scatter_windows(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
  const Step& step = plan.scatter[0];
  const Window w = scatter_window(step.index, step.mask_out, plan.size, stride, plan.high - plan.low, count);
  scatter_row<far>(to + step.out, from, w, plan.size, stride);
}

#else

template <class At>
void gather_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  by_fields<true>(to, from, plan, at, count);
}
template <class At>
void scatter_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  by_fields<false>(to, from, plan, at, count);
}

#endif

inline void gather_records(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
#if defined(__AVX512VBMI__)
  const RecordFacts facts = facts_of(plan, count, stride, false, Direction::pack, this_isa);
  const Kernel kernel = decide(facts, current_thresholds).kernel;
  if (kernel == Kernel::record_windows) return gather_windows<false>(to, from, plan, count, stride);
  if (kernel == Kernel::record_windows_ahead) return gather_windows<true>(to, from, plan, count, stride);
#endif
  gather_each(to, from, plan, Strided{stride}, count);
}
inline void scatter_records(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
#if defined(__AVX512VBMI__)
  const RecordFacts facts = facts_of(plan, count, stride, false, Direction::unpack, this_isa);
  const Kernel kernel = decide(facts, current_thresholds).kernel;
  if (kernel == Kernel::record_windows) return scatter_windows<false>(to, from, plan, count, stride);
  if (kernel == Kernel::record_windows_ahead) return scatter_windows<true>(to, from, plan, count, stride);
#endif
  scatter_each(to, from, plan, Strided{stride}, count);
}
template <class Int>
void gather_records_at(std::byte* to, const std::byte* from, const RecordPlan& plan, const Int* offsets, Count n) {
  gather_each(to, from, plan, offsets, n);
}
template <class Int>
void scatter_records_at(std::byte* to, const std::byte* from, const RecordPlan& plan, const Int* offsets, Count n) {
  scatter_each(to, from, plan, offsets, n);
}

}  // namespace heddle::layout::kernel::HEDDLE_KERNEL
