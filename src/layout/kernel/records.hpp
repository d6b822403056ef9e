// layout/kernel/records.hpp: records at a constant stride or at listed offsets. Compiled once for each instruction set.
#pragma once

#include "layout/kernel/offsets.hpp"
#include "layout/kernel/windows.hpp"

namespace heddle::layout::kernel::HEDDLE_KERNEL {

/// Where record i lies.
struct Strided {
  Bytes stride;
  Bytes operator[](Count i) const { return i * stride; }
};

inline void gather_exact(std::byte* to, const std::byte* from, const RecordPlan& plan) {
  for (Count p = 0; p < plan.piece_count; ++p)
    copy_any(to + plan.pieces[p].packed, from + plan.pieces[p].offset, plan.pieces[p].length);
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
void gather_single(std::byte* to, const std::byte* from, const RecordPlan& plan, const At& at, Count count) {
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
void gather_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At& at, Count count) {
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
void scatter_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At& at, Count count) {
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

/// Overlapped moves: `wide` bytes for each piece, the next piece covers what was too much.
template <class At>
void gather_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At& at, Count count) {
  const Count exact = 1 + (wide - 2 + plan.size) / plan.size;
  Count i = 0;
  for (; i + exact <= count; ++i, to += plan.size) {
    const std::byte* const record = from + at[i];
    const bool inside = within_page(record + plan.low, plan.high - plan.low + wide);
    for (Count p = 0; p < plan.piece_count; ++p) {
      const Piece& piece = plan.pieces[p];
      const std::byte* const source = record + piece.offset;
      if (piece.length <= wide && (inside || within_page(source, wide)))
        copy<wide>(to + piece.packed, source);
      else
        copy_any(to + piece.packed, source, piece.length);
    }
  }
  for (; i < count; ++i, to += plan.size) gather_exact(to, from + at[i], plan);
}

template <class At>
void scatter_each(std::byte* to, const std::byte* from, const RecordPlan& plan, const At& at, Count count) {
  for (Count i = 0; i < count; ++i, from += plan.size) {
    std::byte* const record = to + at[i];
    for (Count p = 0; p < plan.piece_count; ++p)
      copy_any(record + plan.pieces[p].offset, from + plan.pieces[p].packed, plan.pieces[p].length);
  }
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
