// fft2d/loops.hpp: what a program does by hand that leaves datatypes aside: packing blocks, and the local transpose.
#pragma once

#include <span>

#include "buffer.hpp"
#include "slabs.hpp"

namespace fft2d {

/// The columns of each slab, row by row, one block behind the other.
void pack(const Matrix& from, std::span<const Slab> columns, Complex* blocks);

/// rows x columns elements, one row behind the other, into their transpose.
void turn(const Complex* from, int rows, int columns, Complex* to);

}  // namespace fft2d
