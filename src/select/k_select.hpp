// select/k_select.hpp: the k-th smallest of some values in linear time, by Floyd and Rivest.
//
//   const Bytes largest = k_select(std::span(volumes), volumes.size());        // k counts from 1, as in the papers
//
// In a long range, a sample gives two values between which the k-th value very likely lies. So the
// method makes little more than n + min(k, n - k) comparisons on average. Quickselect makes about
// 2·n. Source: Floyd and Rivest 1975, Algorithm 489; Balaji et al. 2007, §4.2.1. A hostile order of
// values can make the method slow. If it looks at more values than a good run needs,
// std::nth_element takes over. That takes n·log n at most, for every order.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace heddle::select {

/// Puts the k-th smallest value at values[k - 1] and returns it. Values before it are not larger,
/// values behind it not smaller.
/// @param k  1 ... values.size().
template <class T>
T k_select(std::span<T> values, std::size_t k) {
  using Index = std::ptrdiff_t;
  constexpr Index sampled_from = 600;  // shorter ranges are not worth a sample
  const auto at = [values](Index i) -> T& { return values[static_cast<std::size_t>(i)]; };
  const Index wanted = static_cast<Index>(k) - 1;
  auto looks = 16 * static_cast<Index>(values.size()) + 1024;

  const auto select = [&](const auto& self, Index left, Index right) -> void {
    while (right > left && looks > 0) {
      if (right - left > sampled_from) {
        // Narrows the range around the k-th value to its likely place, by selecting in a sample of
        // n^(2/3) values.
        const auto n = static_cast<double>(right - left + 1);
        const auto i = static_cast<double>(wanted - left + 1);
        const double z = std::log(n);
        const double sample = 0.5 * std::exp(2 * z / 3);
        const double deviation = 0.5 * std::sqrt(z * sample * (n - sample) / n) * (i < n / 2 ? -1 : 1);
        const auto place = static_cast<double>(wanted);
        self(self, std::max(left, static_cast<Index>(place - i * sample / n + deviation)),
             std::min(right, static_cast<Index>(place + (n - i) * sample / n + deviation)));
      }
      // Splits by the value that is at the k-th place now. Equal values stop both ways, so that
      // many of them split evenly.
      looks -= right - left + 1;
      const T pivot = at(wanted);
      Index up = left;
      Index down = right;
      while (up <= down) {
        while (at(up) < pivot) ++up;
        while (pivot < at(down)) --down;
        if (up <= down) std::swap(at(up++), at(down--));
      }
      if (down < wanted) left = up;
      if (wanted < up) right = down;
    }
  };
  select(select, 0, static_cast<Index>(values.size()) - 1);
  if (looks <= 0) std::nth_element(values.begin(), values.begin() + wanted, values.end());
  return at(wanted);
}

}  // namespace heddle::select
