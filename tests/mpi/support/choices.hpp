// Choices: a list of plain numbers from which a random case is made. RapidCheck shrinks a failure
// by dropping and lowering them. When they run out, every further choice is 0, which must always be
// the simplest choice.
//
//   rc::check("claim", [](const Choices& choices) { Chooser choose(choices); ... choose.between(-3, 5) ... });
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace heddle::test {

struct Choices {
  std::vector<std::uint32_t> numbers;
};

/// Choices that need no shrinking: the same numbers for the same seed, on every rank.
inline Choices choices_of(std::uint32_t seed, std::size_t length = 200) {
  std::mt19937 random(seed);
  Choices choices{std::vector<std::uint32_t>(length)};
  for (std::uint32_t& n : choices.numbers) n = static_cast<std::uint32_t>(random());
  return choices;
}

class Chooser {
 public:
  explicit Chooser(const Choices& choices) : numbers_(choices.numbers) {}

  std::int64_t upto(std::int64_t highest) {
    const std::uint32_t n = next_ < numbers_.size() ? numbers_[next_++] : 0;
    return n % (static_cast<std::uint64_t>(highest) + 1);
  }
  std::int64_t between(std::int64_t lowest, std::int64_t highest) { return lowest + upto(highest - lowest); }
  /// Once in `n`.
  bool rarely(std::int64_t n) { return upto(n - 1) == n - 1; }
  /// 1 ... highest, seldom 0: one empty level empties all levels above it.
  std::int64_t some(std::int64_t highest) { return rarely(20) ? 0 : between(1, highest); }

 private:
  const std::vector<std::uint32_t>& numbers_;
  std::size_t next_ = 0;
};

}  // namespace heddle::test
