// engine/agreement.hpp: what all ranks of a communicator know of each other's volumes, of a few calls ago: nothing is known to
// all in MPI_Alltoallv itself. May include: reductions.hpp, select/collective/.
//
//   const select::Way& way = agreement.next(around, me, [&](int to) { return bytes; }, [&](int from) { return bytes; });
//
// Every rank calls next() in every blocking MPI_Alltoallv and MPI_Alltoallw of a communicator, and these come in the same order
// on all ranks. At some of them (cadence.hpp) all ranks begin a non-blocking reduction of what they send and receive in that
// call; its result counts from a later call on, at which every rank waits for it. So all ranks change over at the same call,
// and none decides from what it alone remembers.
#pragma once

#include "engine/reductions.hpp"
#include "select/collective/agreement.hpp"
#include "select/collective/cadence.hpp"
#include "select/collective/topology.hpp"

namespace heddle::engine {

class Agreement {
 public:
  /// By reduction 0.
  explicit Agreement(Reductions& reductions) noexcept;
  ~Agreement() { reductions_.wait(0); }
  Agreement(const Agreement&) = delete;
  Agreement& operator=(const Agreement&) = delete;

  /// How this call goes; the same on all ranks. `to(rank)` and `from(rank)` are bytes of what could be bundled; they are asked
  /// in few calls only.
  template <class To, class From>
  const select::Way& next(const select::Topology& around, schedule::Rank me, const To& to, const From& from) {
    const std::int64_t call = calls_++;
    if (cadence_.counts(call)) take(around.where);
    if (cadence_.begins(call)) begin(share_of(me, around.where, &around.nodes, to, from));
    return way_;
  }
  /// Calls from the next one on in which nothing is due; so many have gone without asking.
  [[nodiscard]] std::int64_t quiet() const noexcept { return cadence_.quiet(calls_); }
  void skip(std::int64_t calls) noexcept { calls_ += calls; }
  /// Equal for volumes that are alike.
  [[nodiscard]] std::uint64_t volumes() const { return volumes_; }
  /// Of the way: equal for equal ones.
  [[nodiscard]] std::uint64_t digest() const { return digest_; }
  /// As the last call went.
  [[nodiscard]] const select::Way& way() const { return way_; }
  /// Calls from one reduction to the next.
  [[nodiscard]] std::int64_t every() const { return cadence_.interval(); }

 private:
  void begin(const select::Share& mine) noexcept;
  void take(const select::Where& where);

  Reductions& reductions_;
  std::int64_t calls_ = 0;
  select::Cadence cadence_;
  select::Share mine_, all_;
  select::Way way_;
  std::uint64_t volumes_ = 0, digest_ = 0;
};

}  // namespace heddle::engine
