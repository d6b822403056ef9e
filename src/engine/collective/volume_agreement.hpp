// engine/collective/volume_agreement.hpp: tells all ranks of a communicator each other's volumes of
// a few calls ago. MPI_Alltoallv itself tells a rank only its own volumes.
//
//   const auto sent = [&](int to) { return bytes; }, received = [&](int from) { return bytes; };
//   const select::Candidate& choice = agreement.next(around, me, sent, received);
//
// Every rank calls next() in every blocking MPI_Alltoallv and MPI_Alltoallw of a communicator. All
// ranks make these calls in the same order. At some calls (cadence.hpp) all ranks begin a
// non-blocking reduction of the bytes that they send and receive in that call. At a later call
// every rank waits for the result, and uses it from then on. So all ranks change the algorithm at
// the same call, and no rank decides from facts that it alone remembers.
#pragma once

#include "engine/collective/reductions.hpp"
#include "select/collective/cadence.hpp"
#include "select/collective/topology.hpp"
#include "select/collective/volume_shares.hpp"

namespace heddle::engine {

class Agreement {
 public:
  /// Uses reduction 0.
  explicit Agreement(Reductions& reductions) noexcept;
  ~Agreement() { reductions_.wait(0); }
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  /// The choice for this call; the same on all ranks. `to(rank)` and `from(rank)` are the bytes
  /// that could go in bundles. They are asked in few calls only.
  template <class To, class From>
  const select::Candidate& next(const select::Topology& around, schedule::Rank me, const To& to, const From& from) {
    const std::int64_t call = calls_++;
    if (cadence_.counts(call)) take(around.where);
    if (cadence_.begins(call)) begin(share_of(me, around.where, &around.nodes, to, from));
    return choice_;
  }
  /// quiet(): the number of following calls in which nothing is due. skip(): so many calls have
  /// gone without next().
  [[nodiscard]] std::int64_t quiet() const noexcept { return cadence_.quiet(calls_); }
  void skip(std::int64_t calls) noexcept { calls_ += calls; }
  /// Equal for volumes that are alike.
  [[nodiscard]] std::uint64_t volumes() const { return volumes_; }
  /// Equal for equal choices.
  [[nodiscard]] std::uint64_t digest() const { return digest_; }
  /// The choice for the last call.
  [[nodiscard]] const select::Candidate& choice() const { return choice_; }
  /// Calls from one reduction to the next.
  [[nodiscard]] std::int64_t every() const { return cadence_.interval(); }

 private:
  void begin(const select::Share& mine) noexcept;
  void take(const select::Where& where);

  Reductions& reductions_;
  std::int64_t calls_ = 0;
  select::Cadence cadence_;
  select::Share mine_, all_;
  select::Candidate choice_;
  std::uint64_t volumes_ = 0, digest_ = 0;
};

}  // namespace heddle::engine
