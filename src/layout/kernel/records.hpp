// layout/kernel/records.hpp: records at a constant stride or at listed offsets. Compiled once for each instruction set.
#pragma once

#include "layout/kernel/offsets.hpp"
#include "layout/kernel/plane.hpp"
#include "layout/kernel/windows.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

/// Where record i lies.
struct Strided {
  Bytes stride;
  Bytes operator[](Count i) const { return i * stride; }
  [[nodiscard]] Bytes step() const { return stride; }
};
template <class At>
constexpr bool strided = false;
template <>
inline constexpr bool strided<Strided> = true;

/// Passes go over a portion of the records that stays in the L1 cache: at most 64 of them, 8 KiB of memory. (Records at the
/// stride of a page fall into few cache sets: a portion of 64 of them ran at 4 GB/s, of 2 at 47.)
inline Count portion_of(const RecordPlan& plan) {
  const Count portion = (8 << 10) / (plan.high - plan.low);
  return portion < 1 ? 1 : portion > 64 ? 64 : portion;
}

/// Field by field: each pass is a loop of one block length.

template <bool packing>
void field_pass(std::byte* to, const std::byte* from, const Piece& piece, Bytes size, Strided at, Count begin, Count n) {
  const Dim dim = packing ? Dim{n, size, at.stride} : Dim{n, at.stride, size};
  const Bytes memory = begin * at.stride + piece.offset, packed = begin * size + piece.packed;
  plane(to + (packing ? packed : memory), from + (packing ? memory : packed), Dim{1, 0, 0}, dim, piece.length);
}
template <bool packing, class Int>
void field_pass(std::byte* to, const std::byte* from, const Piece& piece, Bytes size, const Int* at, Count begin, Count n) {
  const Bytes packed = begin * size + piece.packed;
  if constexpr (packing)
    gather_steps(to + packed, from + piece.offset, at + begin, n, piece.length, size);
  else
    scatter_steps(to + piece.offset, from + packed, at + begin, n, piece.length, size);
}

template <bool packing, class At>
void by_fields(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  const Count portion = portion_of(plan);
  for (Count begin = 0; begin < count; begin += portion)
    for (Count p = 0; p < plan.piece_count; ++p)
      field_pass<packing>(to, from, plan.pieces[p], plan.size, at, begin, count - begin < portion ? count - begin : portion);
}

#if defined(__AVX512VBMI__)

/// Record i of a pass over one side: in memory at[i], packed i·size.
struct Packed {
  Bytes size;
  Bytes operator[](Count i) const { return i * size; }
};

/// One step for n records: its masks and its index stay in registers.
template <bool two, bool exact, class To, class From>
inline void step_pass(std::byte* to, const std::byte* from, const Step& step, const To to_at, const From from_at, Count begin,
                      Count end) {
  const __m512i index = _mm512_load_si512(step.index);
  const std::uint64_t mask_a = step.mask_a, mask_b = step.mask_b, mask_out = step.mask_out;
  const std::byte *const in_a = from + step.in_a, *const in_b = from + step.in_b;
  to += step.out;
  // Prefetches, far ahead: a million records of 24 and 16 of 64 bytes pack at 17 GB/s with them, at 9 without. Of the packed
  // side, too, since loads under a mask do not set off the prefetchers: the same records unpack at 10 → 15 GB/s.
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

/// A full store of a step spoils what comes after it in the packed stream: right if that is written later. With one step to a
/// record, that is the next record; with several, run one after the other over a portion, the next steps of the same one.
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

inline bool gather_merged(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
  if (plan.gather_count != 1 || plan.size > 32 || stride <= 0 || count < 8) return false;
  const Step& step = plan.gather[0];
  const Bytes span = plan.high - plan.low;
  if (step.mask_b != 0 || step.length != 0 || span > 64 || stride + span > 128) return false;
  const Window w = gather_window(step.index, plan.size, stride, span, count);
  if (w.records < 2) return false;
  if (stride * count > nearby)
    gather_row<true>(to, from + step.in_a, w, plan.size, stride, span);
  else
    gather_row<false>(to, from + step.in_a, w, plan.size, stride, span);
  return true;
}

inline bool scatter_merged(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
  if (plan.scatter_count != 1 || count < 8) return false;
  const Step& step = plan.scatter[0];
  const Bytes span = plan.high - plan.low;
  if (step.length != 0 || stride < span || stride + span > 64) return false;
  const Window w = scatter_window(step.index, step.mask_out, plan.size, stride, span, count);
  if (stride * count > nearby)
    scatter_row<true>(to + step.out, from, w, plan.size, stride);
  else
    scatter_row<false>(to + step.out, from, w, plan.size, stride);
  return true;
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

inline bool gather_merged(std::byte*, const std::byte*, const RecordPlan&, Count, Bytes) { return false; }
inline bool scatter_merged(std::byte*, const std::byte*, const RecordPlan&, Count, Bytes) { return false; }

#endif

inline void gather_records(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
  if (!gather_merged(to, from, plan, count, stride)) gather_each(to, from, plan, Strided{stride}, count);
}
inline void scatter_records(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
  if (!scatter_merged(to, from, plan, count, stride)) scatter_each(to, from, plan, Strided{stride}, count);
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
