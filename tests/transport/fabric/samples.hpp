// Random pairs of types for a message, the same in every process that has the same seed.
#pragma once

#include <random>

#include "../../layout/random_type.hpp"

namespace heddle::transport::fabric::testing {

using layout::Bytes;
using layout::Count;
using layout::test::Memory;
using layout::test::Sample;

struct Sized {
  Sample type;
  Count count = 0;
};

/// A type of at least a byte that can be received into: no byte occurs twice.
Sized receivable(std::mt19937& random, Bytes total);
/// Any type, with a count that comes close to `wanted` bytes.
Sized sendable(std::mt19937& random, Bytes wanted);

}  // namespace heddle::transport::fabric::testing
