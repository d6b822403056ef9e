// tool/tune/fit_nodes.hpp: computes the costs in the model of select/choose_fabric.hpp from times
// of whole messages between two nodes. Pure.
#pragma once

#include <string>
#include <vector>

#include "select/profile.hpp"

namespace heddle::tool {

/// Times of bench/links between two nodes under one MPI library, ns, one way.
struct TakenBetween {
  static constexpr double short_bytes = 64 << 10;
  static constexpr double long_bytes = 1 << 20;
  static constexpr int segments = 8;

  // Messages of the library, in one piece
  double message_short;
  double message_long;
  // Messages over the fabric by BC-SPUP, in blocks of 8 KiB
  double fabric_short;  ///< One segment.
  double fabric_cut;    ///< The bytes of one segment, in `segments`.
  double fabric_long;   ///< A long message in `segments`.
  // 8 KiB in 128 blocks
  double packed;      ///< BC-SPUP
  double gathered;    ///< RWG-UP
  double operations;  ///< Operations of this RWG-UP.
};

/// Reads numbers in the order of the fields. std::invalid_argument.
TakenBetween taken_between(const std::vector<double>& numbers);

/// Costs for which the model gives these times. std::invalid_argument: the provider's name is
/// impossible.
select::BetweenNodes fitted(const TakenBetween& taken, const std::string& provider);

}  // namespace heddle::tool
