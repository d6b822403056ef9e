// layout/kernel/portable.cpp: every kernel as a plain loop; the reference the others are tested against.
#include <cstring>

#include "layout/kernel/kernels.hpp"

namespace heddle::layout::kernel {

void nest(std::byte* to, const std::byte* from, std::span<const Dim> dims, Bytes block) {
  if (dims.empty()) {
    std::memcpy(to, from, static_cast<std::size_t>(block));
    return;
  }
  const Dim outer = dims.front();
  for (Count i = 0; i < outer.count; ++i) nest(to + i * outer.to, from + i * outer.from, dims.subspan(1), block);
}

template <class Int>
void gather(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block) {
  for (Count i = 0; i < n; ++i) std::memcpy(to + i * block, from + offsets[i], static_cast<std::size_t>(block));
}
template <class Int>
void scatter(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block) {
  for (Count i = 0; i < n; ++i) std::memcpy(to + offsets[i], from + i * block, static_cast<std::size_t>(block));
}
template <class Int, class Length>
void gather_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n) {
  for (Count i = 0; i < n; to += lengths[i], ++i) std::memcpy(to, from + offsets[i], static_cast<std::size_t>(lengths[i]));
}
template <class Int, class Length>
void scatter_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n) {
  for (Count i = 0; i < n; from += lengths[i], ++i) std::memcpy(to + offsets[i], from, static_cast<std::size_t>(lengths[i]));
}

namespace {
void gather_one(std::byte* to, const std::byte* from, const Record& record) {
  for (const Piece& p : record.pieces()) std::memcpy(to + p.packed, from + p.offset, static_cast<std::size_t>(p.length));
}
void scatter_one(std::byte* to, const std::byte* from, const Record& record) {
  for (const Piece& p : record.pieces()) std::memcpy(to + p.offset, from + p.packed, static_cast<std::size_t>(p.length));
}
}  // namespace

void gather_records(std::byte* to, const std::byte* from, const Record& record, Count count, Bytes stride) {
  for (Count i = 0; i < count; ++i) gather_one(to + i * record.size(), from + i * stride, record);
}
void scatter_records(std::byte* to, const std::byte* from, const Record& record, Count count, Bytes stride) {
  for (Count i = 0; i < count; ++i) scatter_one(to + i * stride, from + i * record.size(), record);
}
template <class Int>
void gather_records_at(std::byte* to, const std::byte* from, const Record& record, const Int* offsets, Count n) {
  for (Count i = 0; i < n; ++i) gather_one(to + i * record.size(), from + offsets[i], record);
}
template <class Int>
void scatter_records_at(std::byte* to, const std::byte* from, const Record& record, const Int* offsets, Count n) {
  for (Count i = 0; i < n; ++i) scatter_one(to + offsets[i], from + i * record.size(), record);
}

template void gather(std::byte*, const std::byte*, const std::int32_t*, Count, Bytes);
template void gather(std::byte*, const std::byte*, const std::int64_t*, Count, Bytes);
template void scatter(std::byte*, const std::byte*, const std::int32_t*, Count, Bytes);
template void scatter(std::byte*, const std::byte*, const std::int64_t*, Count, Bytes);
template void gather_pieces(std::byte*, const std::byte*, const std::int32_t*, const std::int32_t*, Count);
template void gather_pieces(std::byte*, const std::byte*, const std::int32_t*, const std::int64_t*, Count);
template void gather_pieces(std::byte*, const std::byte*, const std::int64_t*, const std::int32_t*, Count);
template void gather_pieces(std::byte*, const std::byte*, const std::int64_t*, const std::int64_t*, Count);
template void scatter_pieces(std::byte*, const std::byte*, const std::int32_t*, const std::int32_t*, Count);
template void scatter_pieces(std::byte*, const std::byte*, const std::int32_t*, const std::int64_t*, Count);
template void scatter_pieces(std::byte*, const std::byte*, const std::int64_t*, const std::int32_t*, Count);
template void scatter_pieces(std::byte*, const std::byte*, const std::int64_t*, const std::int64_t*, Count);
template void gather_records_at(std::byte*, const std::byte*, const Record&, const std::int32_t*, Count);
template void gather_records_at(std::byte*, const std::byte*, const Record&, const std::int64_t*, Count);
template void scatter_records_at(std::byte*, const std::byte*, const Record&, const std::int32_t*, Count);
template void scatter_records_at(std::byte*, const std::byte*, const Record&, const std::int64_t*, Count);

const char* name(Isa isa) { return isa == Isa::avx512 ? "avx512" : isa == Isa::avx2 ? "avx2" : "portable"; }
Isa best_isa() { return Isa::portable; }
Isa isa() { return Isa::portable; }
bool use(Isa isa) noexcept { return isa == Isa::portable; }

}  // namespace heddle::layout::kernel
