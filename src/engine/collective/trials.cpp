// engine/collective/trials.cpp: keeps one trial for each kind of call, and reduces its times over
// all ranks.
#include "engine/collective/trials.hpp"

#include <array>
#include <chrono>
#include <utility>

namespace heddle::engine {
namespace {

constexpr std::size_t samples = select::Trial::samples;
/// A program with more kinds of calls has no use for trials of each.
constexpr std::size_t most_kinds = Reductions::most - 1;

}  // namespace

std::int64_t Trials::steady() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Trials::One {
  One(const TrialKind& of, int own) noexcept : kind(of), trial(of.warmed), reduction(own) {}

  TrialKind kind;
  select::Trial trial;
  /// Times at which the timed calls began, then times at which they ended; in `all`, those of all
  /// ranks (begin_reduction).
  std::array<std::int64_t, 2 * samples> mine{}, all{};
  int reduction;
};

Trials::Trials(Reductions& reductions, Clock clock, TimedCall::Now now) noexcept
    : reductions_(reductions), clock_(clock), now_(now) {}

Trials::~Trials() {
  for (const std::unique_ptr<One>& one : all_) reductions_.wait(one->reduction);
}

/// Null: there are too many kinds.
Trials::One* Trials::of(const TrialKind& kind) {
  // Most often it is the kind of the last call.
  for (auto it = all_.rbegin(); it != all_.rend(); ++it)
    if ((*it)->kind == kind) return it->get();
  if (all_.size() == most_kinds) return nullptr;
  return all_.emplace_back(std::make_unique<One>(kind, 1 + static_cast<int>(all_.size()))).get();
}

void Trials::begin_reduction(One& one) const noexcept {
  for (std::size_t i = 0; i < samples; ++i) {
    if (clock_ == Clock::of_each) one.mine[samples + i] -= std::exchange(one.mine[i], 0);
    if (clock_ == Clock::of_crowded_node) one.mine[i] = -one.mine[i];  // the greatest belongs to the first rank that comes
  }
  reductions_.begin(one.reduction, one.mine, one.all, clock_ == Clock::of_each ? Reductions::By::sum : Reductions::By::most);
}

std::int64_t Trials::quiet() const noexcept { return one_ ? one_->trial.quiet() : 0; }

void Trials::skip(std::int64_t calls) noexcept {
  if (one_) one_->trial.next(calls);
}

bool Trials::library(const TrialKind& kind, TimedCall& timed) {
  One* const one = one_ = of(kind);
  if (!one) return last_ = false;
  select::Trial& trial = one->trial;
  if (trial.counts()) {
    reductions_.wait(one->reduction);
    select::Trial::Spans spans{};
    for (std::size_t i = 0; i < samples; ++i)
      spans[i] = one->all[samples + i] - (clock_ == Clock::of_crowded_node ? -one->all[i] : one->all[i]);
    trial.settle(spans);
  }
  if (trial.begins()) begin_reduction(*one);
  if (const int sample = trial.sample(); sample >= 0) {
    one->mine[static_cast<std::size_t>(sample)] = now_();
    timed.ends_at(one->mine[samples + static_cast<std::size_t>(sample)], now_);
  }
  last_ = trial.library();
  if (last_) timed.give_to_library();
  trial.next();
  return last_;
}

}  // namespace heddle::engine
