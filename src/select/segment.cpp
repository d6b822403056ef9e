// select/segment.cpp: from `heddle bench vector` with HEDDLE_SEGMENT from 2K to 64K.
#include "select/segment.hpp"

namespace heddle::select {

layout::Bytes segment(layout::Bytes total) noexcept {
  if (total <= 8 << 10) return 4 << 10;
  if (total <= 64 << 10) return 8 << 10;
  if (total <= 256 << 10) return 16 << 10;
  return 32 << 10;
}

}  // namespace heddle::select
