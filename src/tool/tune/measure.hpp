// tool/tune/measure.hpp: what moving bytes costs here, between two processes. May include: pair.hpp, select/profile.hpp,
// layout/.
#pragma once

#include <functional>
#include <string>

#include "select/profile.hpp"

namespace heddle::tool {

/// Called before each measurement: which part is done (0 to 1), and what comes next.
using Progress = std::function<void(double done, const std::string& what)>;

struct Measured {
  select::Profile profile;
  std::string without;  ///< What could not be measured and is the built-in number instead; empty: nothing.
};

/// Some seconds; `quick`: some tenths. Of repeated measurements the lower quartile counts: what disturbs makes slower only.
/// std::runtime_error: a second process or shared memory cannot be had.
Measured measure(bool quick, const Progress& progress);

}  // namespace heddle::tool
