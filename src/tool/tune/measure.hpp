// tool/tune/measure.hpp: measures the costs of moving bytes between two processes.
#pragma once

#include <functional>
#include <string>

#include "select/profile.hpp"

namespace heddle::tool {

/// Called before each measurement with the part that is done (0 to 1) and the name of the next measurement.
using Progress = std::function<void(double done, const std::string& what)>;

struct Measured {
  select::Profile profile;
  std::string without;  ///< The numbers that are built in because their measurement failed; empty: none.
};

/// Takes some seconds; `quick`: some tenths. The lower quartile of repeated measurements counts: a disturbance only makes them
/// slower. std::runtime_error: there is no second process or no shared memory.
Measured measure(bool quick, const Progress& progress);

}  // namespace heddle::tool
