// engine/collective/reductions.hpp: reductions over all ranks of a communicator that go on while
// the ranks do other things. They begin in one call, and a later call waits for them. Derived
// classes work over MPI in mpi/exchange, over memory in tests.
//
//   reductions.begin(0, mine, all);                  // in the same order on all ranks
//   ... calls later: reductions.wait(0);             // `all` is the same on all ranks
#pragma once

#include <cstdint>
#include <span>

#include "select/collective/volume_shares.hpp"

namespace heddle::engine {

class Reductions {
 public:
  virtual ~Reductions() = default;

  /// At most so many are under way at once. A user that has begun a reduction must wait for it, and
  /// must not touch its memory until then.
  static constexpr int most = 65;
  enum class By : std::uint8_t { sum, most };

  virtual void begin(int number, std::span<const std::int64_t> mine, std::span<std::int64_t> all, By by) noexcept = 0;
  virtual void begin(int number, const select::Share& mine, select::Share& all) noexcept = 0;
  /// Returns at once if that reduction is not under way.
  virtual void wait(int number) noexcept = 0;
};

}  // namespace heddle::engine
