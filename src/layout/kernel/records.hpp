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
};

/// Field by field over a portion of the records that stays in the L1 cache: each pass is a loop of one block length.
constexpr Count record_portion = 64;

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
  for (Count begin = 0; begin < count; begin += record_portion)
    for (Count p = 0; p < plan.piece_count; ++p)
      field_pass<packing>(to, from, plan.pieces[p], plan.size, at, begin,
                          count - begin < record_portion ? count - begin : record_portion);
}

/// Stores that a copy of so many bytes takes, about.
inline Count stores(Bytes length) {
  if (length > wide) return (length + wide - 1) / wide;
  return (length & (length - 1)) == 0 ? 1 : 2;
}
inline Count stores(const RecordPlan& plan) {
  Count result = 0;
  for (Count p = 0; p < plan.piece_count; ++p) result += stores(plan.pieces[p].length);
  return result;
}

#if defined(__AVX512VBMI__)

template <bool full>
inline void run_step(std::byte* to, const std::byte* from, const Step& step) {
  if (step.length > 0) return copy_any(to + step.out, from + step.in_a, step.length);
  const __m512i a = _mm512_maskz_loadu_epi8(step.mask_a, from + step.in_a);
  const __m512i b = _mm512_maskz_loadu_epi8(step.mask_b, from + step.in_b);
  const __m512i out = _mm512_permutex2var_epi8(a, _mm512_load_si512(step.index), b);
  if constexpr (full)
    _mm512_storeu_si512(to + step.out, out);
  else
    _mm512_mask_storeu_epi8(to + step.out, step.mask_out, out);
}

/// Records of a single step keep it in registers.
template <class At>
void gather_single(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  const Step& step = plan.gather[0];
  const __m512i index = _mm512_load_si512(step.index);
  const std::uint64_t mask_a = step.mask_a, mask_b = step.mask_b, mask_out = step.mask_out;
  const Bytes size = plan.size, exact = (63 + size) / size;
  const std::byte *const a = from + step.in_a, *const b = from + step.in_b;
  Count i = 0;
  if (mask_b == 0) {
    for (; i + exact <= count; ++i, to += size)
      _mm512_storeu_si512(to, _mm512_permutexvar_epi8(index, _mm512_maskz_loadu_epi8(mask_a, a + at[i])));
  } else {
    for (; i + exact <= count; ++i, to += size)
      _mm512_storeu_si512(to, _mm512_permutex2var_epi8(_mm512_maskz_loadu_epi8(mask_a, a + at[i]), index,
                                                       _mm512_maskz_loadu_epi8(mask_b, b + at[i])));
  }
  for (; i < count; ++i, to += size)
    _mm512_mask_storeu_epi8(to, mask_out,
                            _mm512_permutex2var_epi8(_mm512_maskz_loadu_epi8(mask_a, a + at[i]), index,
                                                     _mm512_maskz_loadu_epi8(mask_b, b + at[i])));
}

template <class At>
void gather_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  if (plan.gather_count == 1 && plan.gather[0].length == 0) return gather_single(to, from, plan, at, count);
  // The last full store of a record ends up to 63 bytes past it.
  const Count exact = 1 + (62 + plan.size) / plan.size;
  Count i = 0;
  for (; i + exact <= count; ++i, to += plan.size)
    for (Count s = 0; s < plan.gather_count; ++s) run_step<true>(to, from + at[i], plan.gather[s]);
  for (; i < count; ++i, to += plan.size)
    for (Count s = 0; s < plan.gather_count; ++s) run_step<false>(to, from + at[i], plan.gather[s]);
}

template <class At>
void scatter_single(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  const Step& step = plan.scatter[0];
  const __m512i index = _mm512_load_si512(step.index);
  const std::uint64_t mask_in = step.mask_a, mask_out = step.mask_out;
  const Bytes size = plan.size;
  to += step.out;
  for (Count i = 0; i < count; ++i, from += size)
    _mm512_mask_storeu_epi8(to + at[i], mask_out, _mm512_permutexvar_epi8(index, _mm512_maskz_loadu_epi8(mask_in, from)));
}

template <class At>
void scatter_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At at, Count count) {
  // A masked store of 64 bytes costs as much as five plain ones.
  if (count >= 16 && stores(plan) <= 5 * plan.scatter_count) return by_fields<false>(to, from, plan, at, count);
  if (plan.scatter_count == 1 && plan.scatter[0].length == 0) return scatter_single(to, from, plan, at, count);
  for (Count i = 0; i < count; ++i, from += plan.size)
    for (Count s = 0; s < plan.scatter_count; ++s) run_step<false>(to + at[i], from, plan.scatter[s]);
}

inline bool gather_merged(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
  if (plan.gather_count != 1 || plan.size > 32 || stride <= 0 || count < 8) return false;
  const Step& step = plan.gather[0];
  const Bytes span = plan.high - plan.low;
  if (step.mask_b != 0 || step.length != 0 || span > 64 || stride + span > 128) return false;
  const Window w = gather_window(step.index, step.mask_a, plan.size, stride, span, count);
  if (w.records < 2) return false;
  const Window one = gather_window(step.index, step.mask_a, plan.size, stride, span, 1);
  gather_row(to, from + step.in_a, w, one, count, stride);
  return true;
}

inline bool scatter_merged(std::byte* to, const std::byte* from, const RecordPlan& plan, Count count, Bytes stride) {
  if (plan.scatter_count != 1 || count < 8) return false;
  const Step& step = plan.scatter[0];
  const Bytes span = plan.high - plan.low;
  if (step.length != 0 || stride < span || stride + span > 64) return false;
  const Window w = scatter_window(step.index, step.mask_out, plan.size, stride, span, count);
  const Window one = scatter_window(step.index, step.mask_out, plan.size, stride, span, 1);
  scatter_row(to + step.out, from, w, one, count, stride);
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
