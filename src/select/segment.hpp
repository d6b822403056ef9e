// select/segment.hpp: into how many segments a message of the node is cut.
#pragma once

#include "layout/bytes.hpp"

namespace heddle::select {

/// Small enough that packing and unpacking overlap, large enough that the hand-over (two cache lines that change cores, about
/// 0.2 us) is not felt. A power of two, bytes.
/// @param paired  Nobody unpacks while this is packed: large, so that a receiver that looks early disturbs its sender rarely.
layout::Bytes segment(layout::Bytes total, bool paired = false) noexcept;

}  // namespace heddle::select
