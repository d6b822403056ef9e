// layout/kernel/ready.hpp: a nest with chosen loop order and kernel, for many uses.
//
//   Ready ready;
//   if (ready.make(dims, 8)) for (...) ready.run(out, matrix);    // as nest(out, matrix, dims, 8)
//
// Choosing takes as long as packing a few hundred bytes. That is noticeable for a column of a
// hundred elements, and for a struct of many small faces.
#pragma once

#include "layout/kernel/kernels.hpp"

namespace heddle::layout::kernel {

/// Counts changes of instruction set or thresholds. A nest of an older generation must be made
/// ready again.
extern constinit std::uint32_t generation;

/// A kernel that walks two loops around a block.
using NestRun = void (*)(std::byte* to, const std::byte* from, const Dim& outer, const Dim& inner, Bytes block);

class Ready {
 public:
  /// False: the nest has too many loops. The result holds for the instruction set in use now.
  bool make(std::span<const Dim> dims, Bytes block) noexcept;

  /// Like nest() of the same arguments.
  void run(std::byte* to, const std::byte* from) const {
    to += to_;
    from += from_;
    if (loops_ == 0) return leaf_(to, from, outer_, inner_, block_);
    for (Count i = 0; i < further_[0].count; ++i) run_inner(to + i * further_[0].to, from + i * further_[0].from);
  }

 private:
  static constexpr std::size_t most_loops = 2;  // most loops around the innermost two

  void run_inner(std::byte* to, const std::byte* from) const {
    if (loops_ == 1) return leaf_(to, from, outer_, inner_, block_);
    for (Count i = 0; i < further_[1].count; ++i)
      leaf_(to + i * further_[1].to, from + i * further_[1].from, outer_, inner_, block_);
  }

  NestRun leaf_ = nullptr;
  Bytes to_ = 0, from_ = 0;  // place of the first block, because loops may run backwards
  Bytes block_ = 0;
  Dim outer_{}, inner_{};
  std::size_t loops_ = 0;
  Dim further_[most_loops] = {};
};

}  // namespace heddle::layout::kernel
