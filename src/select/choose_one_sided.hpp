// select/choose_one_sided.hpp: whether Heddle carries out an MPI_Put or MPI_Get to memory that it
// can access, and why. Pure: no clock, no globals.
//
//   const OneSided facts{.origin_in_one_piece = true, .target_in_one_piece = false, .bytes = 8192};
//   if (carries(facts)) ...                                         // one copy from layout to layout
//   puts(why(facts).c_str());                                       // the reason in words
//
// Libraries copy data in one piece as fast as memory allows. MPICH 5.0.2 and Open MPI
// 5.0.11 take 2 to 40 times as long for data with holes between two ranks of a node. Heddle takes
// the time of a copy.
#pragma once

#include <string>

#include "layout/bytes.hpp"

namespace heddle::select {

struct OneSided {
  bool origin_in_one_piece = true;
  bool target_in_one_piece = true;
  layout::Bytes bytes = 0;
  layout::Bytes least = 0;  ///< The library is as fast for fewer bytes (HostTraits::slow_to_access_from).
  bool apart = false;       ///< The target's memory is not mapped here: the system copies between the two processes.
};

constexpr bool carries(const OneSided& access) noexcept {
  return access.bytes > 0 && access.bytes >= access.least && !(access.origin_in_one_piece && access.target_in_one_piece);
}

std::string why(const OneSided& access);

}  // namespace heddle::select
