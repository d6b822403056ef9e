// fft2d/loops.hpp: the loops of a program without datatypes: they pack blocks, and transpose
// locally.
#pragma once

#include <span>

#include "buffer.hpp"
#include "slabs.hpp"

namespace fft2d {

/// Packs the columns of each slab, row by row, one block behind the other.
void pack(const Matrix& from, std::span<const Slab> columns, Complex* blocks);

/// Transposes rows x columns elements, which lie one row behind the other.
void turn(const Complex* from, int rows, int columns, Complex* to);

}  // namespace fft2d
