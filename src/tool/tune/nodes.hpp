// tool/tune/nodes.hpp: from times of whole messages between two nodes to what they cost in the model of select/fabric.hpp.
// Pure. May include: select/.
#pragma once

#include <string>
#include <vector>

#include "select/profile.hpp"

namespace heddle::tool {

/// What bench/links has taken between two nodes under one MPI library, ns, one way.
struct TakenBetween {
  static constexpr double short_bytes = 64 << 10;
  static constexpr double long_bytes = 1 << 20;
  static constexpr int segments = 8;

  // The library's, in one piece
  double message_short;
  double message_long;
  // Over the fabric, by BC-SPUP, in blocks of 8 KiB
  double fabric_short;  ///< One segment.
  double fabric_cut;    ///< The same in `segments`.
  double fabric_long;   ///< In `segments`.
  // 8 KiB in 128 blocks
  double packed;      ///< BC-SPUP
  double gathered;    ///< RWG-UP, by
  double operations;  ///< so many.
};

/// The numbers in the order of the fields. std::invalid_argument.
TakenBetween taken_between(const std::vector<double>& numbers);

/// Costs by which the model takes as long for these. std::invalid_argument: that is no name of a provider.
select::BetweenNodes fitted(const TakenBetween& taken, const std::string& provider);

}  // namespace heddle::tool
