// tool/tune/thresholds.hpp: at which sizes this machine's packing kernels should change. May include: measure.hpp (its
// Progress), layout/.
#pragma once

#include <vector>

#include "layout/kernel/thresholds.hpp"
#include "tool/tune/measure.hpp"

namespace heddle::tool {

/// What two kernels took at sizes in ascending order, ns: the one below a threshold, the one beyond it.
struct Rivals {
  std::vector<layout::Bytes> sizes;
  std::vector<double> below, beyond;
};

/// The largest size that is still to be moved by the kernel below (sizes.front() - 1: none is): of all such the one by which
/// the sizes take least. `usual` stays if it is hardly worse, for a change must be worth more than noise. Pure.
layout::Bytes settled(const Rivals& rivals, layout::Bytes usual);

/// The defaults, but those that can be measured in a second or two as measured with the kernels in use. Those in use change
/// meanwhile, and are what they were afterwards.
layout::kernel::Thresholds measure_thresholds(bool quick, const Progress& progress);

}  // namespace heddle::tool
