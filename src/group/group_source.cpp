// group/group_source.cpp: asks for members piece by piece. While a pattern goes on, it only lets
// the source confirm guesses.
#include "group/group_source.hpp"

#include <algorithm>

#include "group/encoder.hpp"

namespace heddle::group {
namespace {

/// Members of a guess: few, so that a wrong guess is soon known.
constexpr int guessed = 32;

class Question {
 public:
  Question(Source& source, Rank world) noexcept : source_(source), world_(world) {}

  /// Asks for the next `count` members, at most most_asked. False: the source does not say, or a
  /// member is of another world.
  bool ask(int count) {
    Rank answers[most_asked];
    if (!source_.world_ranks(asked_, count, answers)) return false;
    for (int i = 0; i < count; ++i) {
      if (answers[i] < 0) return !(strange_ = true);
      take(answers[i]);
    }
    return true;
  }

  /// The number of the next members (at most `count`) that continue the distance of the last two.
  int guess(int count) {
    if (asked_ < 2) return 0;
    const std::int64_t step = last_ - before_;
    const std::int64_t room = (step > 0 ? world_ - 1 - last_ : -last_) / step;
    count = static_cast<int>(std::min<std::int64_t>(count, room));
    if (count <= 0) return 0;
    const int right = source_.go_on(asked_, count, static_cast<Rank>(last_ + step), static_cast<Rank>(step));
    for (int i = 0; i < right; ++i) take(static_cast<Rank>(last_ + step));
    return right;
  }

  [[nodiscard]] Rank asked() const noexcept { return asked_; }
  [[nodiscard]] bool strange() const noexcept { return strange_; }
  [[nodiscard]] Group finish() { return encoder_.finish(); }

 private:
  void take(Rank rank) {
    encoder_.add(rank);
    before_ = last_;
    last_ = rank;
    ++asked_;
  }

  Source& source_;
  Rank world_;
  Encoder encoder_;
  Rank asked_ = 0;
  std::int64_t before_ = 0, last_ = 0;
  bool strange_ = false;
};

}  // namespace

std::optional<Group> ask(Source& source, Rank size, Rank world, bool guesses) {
  Question question(source, world);
  int direct = guesses ? 2 : most_asked;  // grows while guesses are wrong
  while (question.asked() < size) {
    int left = size - question.asked();
    if (guesses) {
      const int wanted = std::min(guessed, left);
      const int right = question.guess(wanted);
      direct = right > 0 ? 2 : std::min(2 * direct, most_asked);
      if (right == wanted) continue;
      left -= right;
    }
    if (question.ask(std::min(direct, left))) continue;
    return question.strange() ? std::optional(Group()) : std::nullopt;
  }
  return question.finish();
}

}  // namespace heddle::group
