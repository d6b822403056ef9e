// tool/tune/measure.hpp: measures the costs of moving bytes between two processes.
#pragma once

#include <functional>
#include <string>

#include "select/profile.hpp"

namespace heddle::tool {

/// Called before each measurement with the part that is done (0 to 1) and the name of the next
/// measurement.
using Progress = std::function<void(double done, const std::string& what)>;

struct Measured {
  select::Profile profile;
  /// NaN stands for each number of the profile whose times made no sense, such as a system call of
  /// 10 ns. That number keeps its built-in value.
  select::Profile kept = select::builtin();
  std::string without;  ///< A sentence about numbers that were not measured, and stay built in. Empty: all were measured.
};

/// Takes some seconds, or (`quick`) some tenths of a second. The lower quartile of repeated
/// measurements counts, because disturbances only make them slower. Throws std::runtime_error if
/// there is no second process or no shared memory.
Measured measure(bool quick, const Progress& progress);

}  // namespace heddle::tool
