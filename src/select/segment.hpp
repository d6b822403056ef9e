// select/segment.hpp: the length of segments of a message within a node.
#pragma once

#include "layout/bytes.hpp"

namespace heddle::select {

/// Bytes of a segment, a power of two. It is small enough that packing and unpacking overlap. It is
/// so large that the hand-over (two cache lines change cores, in about 0.2 us) does not count.
/// @param paired  The receiver does not unpack while the sender packs. Segments are then long, so
/// that a receiver that looks early rarely disturbs its sender.
layout::Bytes segment(layout::Bytes total, bool paired = false) noexcept;

}  // namespace heddle::select
