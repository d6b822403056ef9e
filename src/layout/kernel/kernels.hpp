// layout/kernel/kernels.hpp: the inner loops of pack, unpack and transfer. They know no layouts.
// choose_kernel.hpp chooses among them.
//
//   const Dim dims[] = {{1024, 16, 16384}, {1024, 16384, 16}};    // outermost first: count, to-stride, from-stride
//   nest(out, matrix, dims, 16);                                   // a transpose: visited in tiles
//
// Contract of every kernel: `to` and `from` do not overlap. Writes touch exactly the described
// bytes, never a hole and never past the end, because several threads may pack disjoint ranges of
// one buffer. Reads may stray past a piece, but only within the 4 KiB page (or 64-byte line) of a
// described byte, because holes may be unmapped. Each instruction set (portable, AVX2, AVX-512) has
// its own implementation. The processor's abilities decide at load time.
#pragma once

#include <span>

#include "layout/bytes.hpp"
#include "layout/kernel/repeated_pieces.hpp"

namespace heddle::layout::kernel {

struct Thresholds;

/// One level of a loop nest.
struct Dim {
  Count count;
  Bytes to;    ///< Stride at the destination.
  Bytes from;  ///< Stride at the source.
};

constexpr std::size_t max_dims = 16;

/// Copies `block` bytes for every index of the nest: to + Σ i·dim.to ← from + Σ i·dim.from. Strides
/// may be negative. The order of visits is not fixed, so the result is unspecified if destinations
/// overlap. At most max_dims dims; 0 dims copy one block.
void nest(std::byte* to, const std::byte* from, std::span<const Dim> dims, Bytes block);

/// Packs n blocks of one length: block i from from + offsets[i] to to + i·block.
template <class Int>
void gather(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block);
/// Unpacks: block i from from + i·block to to + offsets[i], in ascending i, so that later blocks
/// win if they overlap.
template <class Int>
void scatter(std::byte* to, const std::byte* from, const Int* offsets, Count n, Bytes block);

/// Packs n pieces of different lengths, one after the other.
template <class Int, class Length>
void gather_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n);
template <class Int, class Length>
void scatter_pieces(std::byte* to, const std::byte* from, const Int* offsets, const Length* lengths, Count n);

/// Packs `count` records: record i lies at from + i·stride, its packed form at
/// to + i·record.size().
void gather_records(std::byte* to, const std::byte* from, const Record& record, Count count, Bytes stride);
void scatter_records(std::byte* to, const std::byte* from, const Record& record, Count count, Bytes stride);

/// Packs n records at given offsets.
template <class Int>
void gather_records_at(std::byte* to, const std::byte* from, const Record& record, const Int* offsets, Count n);
template <class Int>
void scatter_records_at(std::byte* to, const std::byte* from, const Record& record, const Int* offsets, Count n);

enum class Direction { pack, unpack };

/// The instruction sets that have kernels.
enum class Isa { portable, avx2, avx512 };
const char* name(Isa isa);
Isa best_isa();              ///< The best that this processor has.
Isa isa();                   ///< The set in use.
bool use(Isa isa) noexcept;  ///< Switches (tests, HEDDLE_ISA). False: this processor lacks it. No thread may pack meanwhile.

/// The numbers that decide between kernels (choose_kernel.hpp): the defaults, or this machine's.
/// They must not change while a thread packs.
const Thresholds& thresholds() noexcept;
void use(const Thresholds& by) noexcept;

}  // namespace heddle::layout::kernel
