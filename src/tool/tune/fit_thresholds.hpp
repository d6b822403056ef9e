// tool/tune/fit_thresholds.hpp: the sizes at which this machine's packing kernels should change.
#pragma once

#include <vector>

#include "layout/kernel/thresholds.hpp"
#include "tool/tune/measure.hpp"

namespace heddle::tool {

/// Times of two kernels at sizes in ascending order, ns: the kernel below a threshold, and the
/// kernel beyond it.
struct Rivals {
  std::vector<layout::Bytes> sizes;
  std::vector<double> below, beyond;
};

/// The threshold with the least time for all sizes. It is the largest size for the kernel below, or
/// sizes.front() - 1 for no size. `usual` stays if it is hardly worse, because a change must gain
/// more than noise. Pure.
layout::Bytes settled(const Rivals& rivals, layout::Bytes usual);

/// The default thresholds, with measured values where that takes a second or two. The thresholds in
/// use change meanwhile, and are restored afterwards.
layout::kernel::Thresholds measure_thresholds(bool quick, const Progress& progress);

}  // namespace heddle::tool
