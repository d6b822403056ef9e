// select/segment.cpp: numbers measured by `heddle bench vector` with HEDDLE_SEGMENT from 2K to 64K.
// The paired number is measured by `heddle bench alltoall-struct`.
#include "select/segment.hpp"

namespace heddle::select {

layout::Bytes segment(layout::Bytes total, bool paired) noexcept {
  if (paired) return 32 << 10;
  if (total <= 8 << 10) return 4 << 10;
  if (total <= 64 << 10) return 8 << 10;
  if (total <= 256 << 10) return 16 << 10;
  return 32 << 10;
}

}  // namespace heddle::select
