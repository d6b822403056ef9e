// layout/pack_away.hpp: packing into memory that another core has read last.
//
// A store to a line that another core holds waits until that core has given it up: kernels that write piece by piece are slowed
// to 8 GB/s between two cores of a Zen 5 where they write 45 into their own cache. A string copy takes whole lines without
// asking for what is in them. So pieces are gathered in the first-level cache, and leave it in long copies: 25 to 30 GB/s
// (`heddle tune`, blocks of 4 to 4096 bytes). Where the other core is far even these wait for each line; stores past the caches
// do not.
#pragma once

#include "layout/layout.hpp"
#include "layout/stores.hpp"

namespace heddle::layout {

/// pack_range() to such a place.
void pack_away(const Layout& layout, Count count, const void* base, Bytes from, Bytes length, void* out,
               Stores stores = Stores::cached);

/// Copies to such a place what is packed already.
void copy_away(const void* packed, Bytes length, void* out, Stores stores);

}  // namespace heddle::layout
