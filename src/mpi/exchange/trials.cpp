// mpi/exchange/trials.cpp
#include "mpi/exchange/trials.hpp"

#include <algorithm>
#include <chrono>

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
  explicit One(const TrialKind& of) noexcept : kind(of) {}
  One(const One&) = delete;
  One& operator=(const One&) = delete;
  ~One() { wait(); }

  void wait() noexcept { PMPI_Wait(&reduction, MPI_STATUS_IGNORE); }

  TrialKind kind;
  select::Trial trial;
  /// When each timed call began, then when each ended; of all ranks the latest, or what they have spent.
  std::array<std::int64_t, 2 * samples> mine{}, all{};
  MPI_Request reduction = MPI_REQUEST_NULL;
};

Trials::Trials(MPI_Comm own, bool one_clock) noexcept : own_(own), one_clock_(one_clock) {}
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
  for (std::size_t i = 0; i < samples && !one_clock_; ++i) {
    one.mine[samples + i] -= one.mine[i];
    one.mine[i] = 0;
  }
  PMPI_Iallreduce(one.mine.data(), one.all.data(), static_cast<int>(one.mine.size()), MPI_INT64_T,
                  one_clock_ ? MPI_MAX : MPI_SUM, own_, &one.reduction);
}

bool Trials::library(const TrialKind& kind, TimedCall& timed) {
  One* const one = of(kind);
  if (!one) return last_ = false;
  select::Trial& trial = one->trial;
  if (trial.counts()) {
    one->wait();
    select::Trial::Spans spans{};
    for (std::size_t i = 0; i < samples; ++i) spans[i] = one->all[samples + i] - one->all[i];
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
