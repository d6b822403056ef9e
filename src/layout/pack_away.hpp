// layout/pack_away.hpp: packs into memory that another core has read last.
//
// A store to a line that another core holds waits until that core gives the line up. Between two
// cores of a Zen 5, kernels that write piece by piece reach 8 GB/s, but 45 GB/s into their own
// cache. A string copy takes over whole lines without reading their contents. So pieces are
// gathered in the first-level cache and leave it in long copies, at 25 to 30 GB/s (`heddle tune`,
// blocks of 4 to 4096 bytes). If the other core is far away, even these copies wait for each line.
// Stores past the caches do not wait.
//
// On other processors the stage costs more than it saves: between two cores of a Xeon, columns of
// 64 bytes are packed straight 1.1 times as fast, and blocks of 512 bytes 0.75 times. A class of
// calls has blocks and parts of like lengths. The first 16 calls of each class alternate between
// the two ways. Later calls take the quicker way.
#pragma once

#include "layout/layout.hpp"
#include "layout/stores.hpp"

namespace heddle::layout {

/// Like pack_range(), into such memory.
void pack_away(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, void* out,
               Stores stores = Stores::cached);

/// False: always through the stage (HEDDLE_TRIALS=off). No thread may pack meanwhile.
void try_ways_of_packing_away(bool wanted) noexcept;

/// Copies packed bytes into such memory.
void copy_away(const void* packed, Bytes length, void* out, Stores stores);

}  // namespace heddle::layout
