// mpi/exchange/trials.cpp
#include "mpi/exchange/trials.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace heddle::mpi {
namespace {

constexpr std::size_t samples = select::Trial::samples;
/// A program with more kinds of calls has no use for trials of each.
constexpr std::size_t most_kinds = 64;

}  // namespace

std::int64_t TimedCall::now() noexcept {
  return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

struct Trials::One {
  explicit One(const TrialKind& of) noexcept : kind(of), trial(of.warmed) {}
  One(const One&) = delete;
  One& operator=(const One&) = delete;
  ~One() { wait(); }

  void wait() noexcept { PMPI_Wait(&reduction, MPI_STATUS_IGNORE); }

  TrialKind kind;
  select::Trial trial;
  /// When each timed call began, then when each ended; of all ranks together (begin_reduction).
  std::array<std::int64_t, 2 * samples> mine{}, all{};
  MPI_Request reduction = MPI_REQUEST_NULL;
};

Trials::Trials(MPI_Comm own, Clock clock) noexcept : own_(own), clock_(clock) {}
Trials::~Trials() = default;

/// Null: there are too many.
Trials::One* Trials::of(const TrialKind& kind) {
  // Most often that of the last call.
  for (auto it = all_.rbegin(); it != all_.rend(); ++it)
    if ((*it)->kind == kind) return it->get();
  if (all_.size() == most_kinds) return nullptr;
  return all_.emplace_back(std::make_unique<One>(kind)).get();
}

void Trials::begin_reduction(One& one) const noexcept {
  for (std::size_t i = 0; i < samples; ++i) {
    if (clock_ == Clock::of_each) one.mine[samples + i] -= std::exchange(one.mine[i], 0);
    if (clock_ == Clock::of_crowded_node) one.mine[i] = -one.mine[i];  // the greatest is of the first to come
  }
  PMPI_Iallreduce(one.mine.data(), one.all.data(), static_cast<int>(one.mine.size()), MPI_INT64_T,
                  clock_ == Clock::of_each ? MPI_SUM : MPI_MAX, own_, &one.reduction);
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
    one->wait();
    select::Trial::Spans spans{};
    for (std::size_t i = 0; i < samples; ++i)
      spans[i] = one->all[samples + i] - (clock_ == Clock::of_crowded_node ? -one->all[i] : one->all[i]);
    trial.settle(spans);
  }
  if (trial.begins()) begin_reduction(*one);
  if (const int sample = trial.sample(); sample >= 0) {
    one->mine[static_cast<std::size_t>(sample)] = TimedCall::now();
    timed.ends_at(one->mine[samples + static_cast<std::size_t>(sample)]);
  }
  last_ = trial.library();
  if (last_) timed.give_to_library();
  trial.next();
  return last_;
}

}  // namespace heddle::mpi
