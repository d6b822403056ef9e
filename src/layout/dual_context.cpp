// layout/dual_context.cpp: judges a portion with one cursor, then packs it or lists it with the
// other.
#include "layout/dual_context.hpp"

namespace heddle::layout {

Portion DualContext::next(std::span<std::byte> stage, std::span<iovec> entries) {
  look_.seek(pack_.tell());
  const bool dense = look_.ahead(blocks_).mean() >= dense_;
  const Bytes before = pack_.tell();
  const auto room = static_cast<Bytes>(stage.size());
  Portion portion;
  portion.packed = !dense;
  if (dense) {
    portion.entries = pack_.segments(base_, entries, room);
  } else {
    pack_.copy_out(base_, stage.data(), room);
  }
  portion.bytes = pack_.tell() - before;
  return portion;
}

}  // namespace heddle::layout
