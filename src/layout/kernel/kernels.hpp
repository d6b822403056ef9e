// layout/kernel/kernels.hpp: the inner loops of pack, unpack and transfer. Which of them moves what
// is for choose.hpp to say.
//
//   const Dim dims[] = {{1024, 16, 16384}, {1024, 16384, 16}};    // outermost first: count, to-stride, from-stride
//   nest(out, matrix, dims, 16);                                   // a transpose: visited in tiles, whatever the order given
//
// Contract of every kernel: `to` and `from` do not overlap. Writes touch exactly the bytes described, never a hole and
// never past the end (several threads pack disjoint ranges of one buffer). Reads may stray past a piece, but only within
// the 4 KiB page (or 64-byte line) of a byte that is described: holes may be unmapped.
// One implementation per instruction set (portable, AVX2, AVX-512), chosen once at load by what the processor can do.
#pragma once

#include <span>

#include "layout/bytes.hpp"
#include "layout/kernel/record.hpp"

namespace heddle::layout::kernel {

struct Thresholds;

/// One level of a loop nest.
struct Dim {
  Count count;
  Bytes to;    ///< Stride at the destination.
  Bytes from;  ///< Stride at the source.
};

constexpr std::size_t max_dims = 16;

/// Copies `block` bytes for every index of the nest: to + Σ i·dim.to ← from + Σ i·dim.from. Any strides, also negative.
/// The order of visiting is free; if destinations overlap, the result is unspecified. At most max_dims dims; 0 dims copy one
/// block.
void nest(std::byte* to, const std::byte* from, std::span<const Dim> dims, Bytes block);

/// Packs n blocks of one length: block i from from + offsets[i] to to + i·block.
template <class Int>
void gather(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block);
/// The reverse: block i from from + i·block to to + offsets[i], in ascending i (later blocks win where they overlap).
template <class Int>
void scatter(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block);

/// Packs n pieces of different lengths, one after the other.
template <class Int, class Length>
void gather_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n);
template <class Int, class Length>
void scatter_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n);

/// Packs `count` records: record i lies at from + i·stride, its packed form at to + i·record.size().
void gather_records(std::byte* to, const std::byte* from, const Record& record, Count count, Bytes stride);
void scatter_records(std::byte* to, const std::byte* from, const Record& record, Count count, Bytes stride);

/// Packs n records at given offsets.
template <class Int>
void gather_records_at(std::byte* to, const std::byte* from, const Record& record, const Int* offsets, Count n);
template <class Int>
void scatter_records_at(std::byte* to, const std::byte* from, const Record& record, const Int* offsets, Count n);

enum class Direction { pack, unpack };

/// Instruction sets with kernels of their own.
enum class Isa { portable, avx2, avx512 };
const char* name(Isa isa);
Isa best_isa();              ///< The widest this processor has.
Isa isa();                   ///< The one in use.
bool use(Isa isa) noexcept;  ///< Switches (tests, HEDDLE_ISA); false if this processor lacks it. Not while others pack.

/// By which numbers kernels are chosen (choose.hpp): the defaults, or a machine's own. Not while others pack.
const Thresholds& thresholds() noexcept;
void use(const Thresholds& by) noexcept;

}  // namespace heddle::layout::kernel
