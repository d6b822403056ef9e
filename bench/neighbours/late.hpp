// bench/neighbours/late.hpp: measures which ranks a late rank delays.
//
//   late(stage, report, ways, "ring");              // rank 0 comes 10 ms after the others, rows of metric "late"
#pragma once

#include <string>
#include <vector>

#include "common/report.hpp"

namespace heddle::bench::neighbours {

/// Times each rank's stay in the call, and reports it by the distance from the late rank around the
/// ring. Collective.
void late(Stage& stage, Report& report, const std::vector<Way>& ways, const std::string& what);

}  // namespace heddle::bench::neighbours
