// layout/kernel/dispatch.cpp: the instruction set and the thresholds in use, and the kernels'
// public names.
#include "layout/kernel/kernel_table.hpp"

namespace heddle::layout::kernel {

constinit const Table* current = &portable_table;
constinit Thresholds current_thresholds;
constinit std::uint32_t generation = 0;

namespace {

constinit Isa current_isa = Isa::portable;

/// Runs before main, so that a call costs only a load and an indirect call more.
[[gnu::constructor]] void choose() { use(best_isa()); }

template <class Int>
const OffsetKernels<Int>& offset_kernels() {
  if constexpr (sizeof(Int) == 4)
    return current->narrow;
  else
    return current->wide;
}

}  // namespace

const char* name(Isa isa) { return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable"; }

Isa best_isa() {
#if defined(__x86_64__)
  __builtin_cpu_init();
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("bmi2")) return Isa::portable;
  // Processors with AVX-512 but without byte permutes (Skylake, Cascade Lake) run the AVX2 kernels.
  const bool wide = __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                    __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq") &&
                    __builtin_cpu_supports("avx512vbmi");
  return wide ? Isa::avx512 : Isa::avx2;
#else
  return Isa::portable;
#endif
}

Isa isa() { return current_isa; }

bool use(Isa isa) noexcept {
  if (isa > best_isa()) return false;
  current_isa = isa;
  ++generation;
#if defined(__x86_64__)
  current = isa == Isa::avx512 ? &avx512_table : isa == Isa::avx2 ? &avx2_table : &portable_table;
#endif
  return true;
}

const Thresholds& thresholds() noexcept { return current_thresholds; }

void use(const Thresholds& by) noexcept {
  current_thresholds = by;
  ++generation;
}

template <class Int>
void gather(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block) {
  offset_kernels<Int>().gather(to, from, offsets, n, block);
}
template <class Int>
void scatter(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block) {
  offset_kernels<Int>().scatter(to, from, offsets, n, block);
}
template <class Int, class Length>
void gather_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n) {
  if constexpr (sizeof(Length) == 4)
    offset_kernels<Int>().gather_pieces32(to, from, offsets, lengths, n);
  else
    offset_kernels<Int>().gather_pieces64(to, from, offsets, lengths, n);
}
template <class Int, class Length>
void scatter_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n) {
  if constexpr (sizeof(Length) == 4)
    offset_kernels<Int>().scatter_pieces32(to, from, offsets, lengths, n);
  else
    offset_kernels<Int>().scatter_pieces64(to, from, offsets, lengths, n);
}
void gather_records(std::byte* to, const std::byte* from, const Record& record, Count count, Bytes stride) {
  if (record.size() > 0) current->gather_records(to, from, record.plan(), count, stride);
}
void scatter_records(std::byte* to, const std::byte* from, const Record& record, Count count, Bytes stride) {
  if (record.size() > 0) current->scatter_records(to, from, record.plan(), count, stride);
}
template <class Int>
void gather_records_at(std::byte* to, const std::byte* from, const Record& record, const Int* offsets, Count n) {
  if (record.size() > 0) offset_kernels<Int>().gather_records(to, from, record.plan(), offsets, n);
}
template <class Int>
void scatter_records_at(std::byte* to, const std::byte* from, const Record& record, const Int* offsets, Count n) {
  if (record.size() > 0) offset_kernels<Int>().scatter_records(to, from, record.plan(), offsets, n);
}

#define HEDDLE_INSTANTIATE(Int)                                                                       \
  template void gather(std::byte*, const std::byte*, const Int*, Count, Bytes);                       \
  template void scatter(std::byte*, const std::byte*, const Int*, Count, Bytes);                      \
  template void gather_pieces(std::byte*, const std::byte*, const Int*, const std::int32_t*, Count);  \
  template void gather_pieces(std::byte*, const std::byte*, const Int*, const std::int64_t*, Count);  \
  template void scatter_pieces(std::byte*, const std::byte*, const Int*, const std::int32_t*, Count); \
  template void scatter_pieces(std::byte*, const std::byte*, const Int*, const std::int64_t*, Count); \
  template void gather_records_at(std::byte*, const std::byte*, const Record&, const Int*, Count);    \
  template void scatter_records_at(std::byte*, const std::byte*, const Record&, const Int*, Count);
HEDDLE_INSTANTIATE(std::int32_t)
HEDDLE_INSTANTIATE(std::int64_t)
#undef HEDDLE_INSTANTIATE

}  // namespace heddle::layout::kernel
