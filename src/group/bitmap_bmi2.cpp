// group/bitmap_bmi2.cpp: the search for processors with popcnt and pdep; compiled with -mpopcnt
// -mbmi -mbmi2.
#include "group/bitmap_search.hpp"

namespace heddle::group::bitmap::bmi2 {

std::uint32_t select(View map, std::uint32_t rank) { return select_member(map, rank); }
std::uint32_t before(View map, std::uint32_t bit) { return count_before(map, bit); }

}  // namespace heddle::group::bitmap::bmi2
