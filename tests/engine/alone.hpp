// tests/engine/alone.hpp: reductions of a single rank, which return their input.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "engine/collective/reductions.hpp"

namespace heddle::engine {

class Alone final : public Reductions {
 public:
  void begin(int /*number*/, std::span<const std::int64_t> mine, std::span<std::int64_t> all, By /*by*/) noexcept override {
    std::ranges::copy(mine, all.begin());
  }
  void begin(int /*number*/, const select::Share& mine, select::Share& all) noexcept override { all = mine; }
  void wait(int /*number*/) noexcept override {}
};

}  // namespace heddle::engine
