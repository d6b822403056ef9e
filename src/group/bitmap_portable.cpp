// group/bitmap_portable.cpp: the search for every processor.
#include "group/bitmap_search.hpp"

namespace heddle::group::bitmap::portable {

std::uint32_t select(View map, std::uint32_t rank) { return select_member(map, rank); }
std::uint32_t before(View map, std::uint32_t bit) { return count_before(map, bit); }

}  // namespace heddle::group::bitmap::portable
