// select/far_line.hpp: how far apart two cores are.
#pragma once

namespace heddle::select {

/// If a cache line takes at least so many ns between two cores, they are far apart: stores into a
/// line of the other core wait longer than stores to memory. Figures: cores of an EPYC that share a
/// cache take 14 to 34 ns, its other cores 140. Cores of a Xeon take 58 to 90 ns: there, stores
/// past the caches made messages of 16 to 128 KiB 5 to 25 % slower.
constexpr double far_line = 100;

}  // namespace heddle::select
