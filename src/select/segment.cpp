// select/segment.cpp: from `heddle bench vector` with HEDDLE_SEGMENT from 2K to 64K; paired, from `heddle bench
// alltoall-struct` and, the long ones, from the transposes of `make demo`: rows of 1024 elements of 16 bytes are unpacked at 3
// GB/s two at a time, at 8 GB/s four at a time, when they are a line.
#include "select/segment.hpp"

namespace heddle::select {

layout::Bytes segment(layout::Bytes total, bool paired) noexcept {
  if (paired) return total < 1 << 20 ? 32 << 10 : 64 << 10;
  if (total <= 8 << 10) return 4 << 10;
  if (total <= 64 << 10) return 8 << 10;
  if (total <= 256 << 10) return 16 << 10;
  return 32 << 10;
}

}  // namespace heddle::select
