// engine/reductions.hpp: what all ranks of a communicator find out together while they do other
// things: reductions that are begun in one call and waited for in a later one. Handed in: over MPI
// in mpi/exchange, over memory in tests.
//
//   reductions.begin(0, mine, all);                  // in the same order on all ranks
//   ... calls later: reductions.wait(0);             // `all` is the same on all ranks
#pragma once

#include <cstdint>
#include <span>

#include "select/collective/agreement.hpp"

namespace heddle::engine {

class Reductions {
 public:
  virtual ~Reductions() = default;

  /// At most so many are under way at once. Whoever has begun one waits for it: its memory is theirs until then.
  static constexpr int most = 65;
  enum class By : std::uint8_t { sum, most };

  virtual void begin(int number, std::span<const std::int64_t> mine, std::span<std::int64_t> all, By by) noexcept = 0;
  virtual void begin(int number, const select::Share& mine, select::Share& all) noexcept = 0;
  /// At once, if there is none.
  virtual void wait(int number) noexcept = 0;
};

}  // namespace heddle::engine
