// bench/study/codes.hpp: the three codes: their cells, the first state and a step. A step writes
// the inner cells of `to` from `from`.
//
//   Jacobi::step(now, next, {512, Jacobi::halo});
//
// No step has a product whose result a sum takes: a fused multiply-add would round otherwise, and
// answers are compared bit by bit.
#pragma once

#include <cstddef>
#include <cstdint>

#include "study/grid.hpp"

namespace heddle::bench::study {

/// A number without a pattern for each cell of the whole grid.
inline std::uint32_t scattered(std::uint32_t x, std::uint32_t y) {
  std::uint32_t mixed = x * 0x9e3779b1U ^ y * 0x85ebca77U;
  mixed = (mixed ^ mixed >> 15) * 0x2c1b3c6dU;
  return mixed ^ mixed >> 12;
}

/// Laplace's equation by Jacobi's iteration: the mean of four neighbours.
struct Jacobi {
  using Cell = double;
  static constexpr const char* name = "jacobi";
  static constexpr int halo = 1;
  static constexpr bool corners = false;

  static Cell first(std::uint32_t random) { return random * 0x1p-32; }
  static void step(const Cell* __restrict from, Cell* __restrict to, const Shape& shape) {
    const std::ptrdiff_t pitch = shape.pitch();
    for (std::ptrdiff_t y = halo; y < shape.side + halo; ++y)
      for (std::ptrdiff_t i = y * pitch + halo, end = i + shape.side; i < end; ++i)
        to[i] = 0.25 * ((from[i - pitch] + from[i + pitch]) + (from[i - 1] + from[i + 1]));
  }
};

/// Conway's Game of Life, a byte a cell. The only code that reads corners.
struct Life {
  using Cell = std::uint8_t;
  static constexpr const char* name = "life";
  static constexpr int halo = 1;
  static constexpr bool corners = true;

  static Cell first(std::uint32_t random) { return random >> 30 == 0; }
  static void step(const Cell* __restrict from, Cell* __restrict to, const Shape& shape) {
    const std::ptrdiff_t pitch = shape.pitch();
    for (std::ptrdiff_t y = halo; y < shape.side + halo; ++y)
      for (std::ptrdiff_t i = y * pitch + halo, end = i + shape.side; i < end; ++i) {
        const Cell *above = from + i - pitch, *here = from + i, *below = from + i + pitch;
        const auto around =
            static_cast<Cell>(above[-1] + above[0] + above[1] + here[-1] + here[1] + below[-1] + below[0] + below[1]);
        to[i] = static_cast<Cell>((around | here[0]) == 3);  // three neighbours, or two and alive
      }
  }
};

/// Image reconstruction on a lattice: the mean of the four neighbours and the four cells behind
/// them, for each of three colours.
struct Image {
  struct Cell {
    float colours[3];
  };
  static constexpr const char* name = "image";
  static constexpr int halo = 2;
  static constexpr bool corners = false;

  static Cell first(std::uint32_t random) {
    const auto part = [random](int shift) { return static_cast<float>(random >> shift & 0xff) * 0x1p-8F; };
    return {{part(0), part(8), part(16)}};
  }
  static void step(const Cell* __restrict from, Cell* __restrict to, const Shape& shape) {
    constexpr std::ptrdiff_t colours = 3;
    const std::ptrdiff_t pitch = shape.pitch() * colours, next = colours;
    const float* const in = from->colours;
    float* const out = to->colours;
    for (std::ptrdiff_t y = halo; y < shape.side + halo; ++y)
      for (std::ptrdiff_t i = y * pitch + halo * colours, end = i + shape.side * colours; i < end; ++i) {
        const float near = (in[i - pitch] + in[i + pitch]) + (in[i - next] + in[i + next]);
        const float far = (in[i - 2 * pitch] + in[i + 2 * pitch]) + (in[i - 2 * next] + in[i + 2 * next]);
        out[i] = 0.125F * (near + far);
      }
  }
};

}  // namespace heddle::bench::study
