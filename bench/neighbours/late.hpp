// bench/neighbours/late.hpp: who is late when one rank is? Includes common/.
//
//   late(stage, report, ways, "ring");              // rank 0 comes 10 ms after the others, rows of metric "late"
#pragma once

#include <string>
#include <vector>

#include "common/report.hpp"

namespace heddle::bench::neighbours {

/// Times each rank's own stay in the call, and tells it by the distance from the late rank, around the ring. Collective.
void late(Stage& stage, Report& report, const std::vector<Way>& ways, const std::string& what);

}  // namespace heddle::bench::neighbours
