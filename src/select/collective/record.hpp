// select/collective/record.hpp: what the ranks of a communicator tell each other once, before Heddle carries out collectives on
// it. May include: settings/, layout/bytes.hpp.
//
//   Record::Said said = Record::said({...}, settings);
//   ... one reduction: the least of each number ...
//   const Record all(said);                                   // the same on all ranks
//   if (!all.able) return nullptr;
#pragma once

#include <array>
#include <atomic>
#include <cstdint>

#include "layout/bytes.hpp"
#include "settings/settings.hpp"

namespace heddle::select {

struct Record {
  /// What one rank knows.
  struct Own {
    bool able;            ///< It is.
    bool room;            ///< It may have another communicator of Heddle's own.
    bool noted;           ///< Hints wait for what is being made.
    bool mailboxes;       ///< It has them.
    int cores;            ///< That the ranks of its node share.
    std::int64_t number;  ///< That it offers (Numbers).
    std::int64_t shared;  ///< Of a communicator that may be shared (mpi/exchange/tag_space.hpp); 0: none.
  };
  /// In which the least of each number wins; what is to be the greatest travels with its sign turned.
  using Said = std::array<long, 17>;
  static Said said(const Own& own, const settings::Settings& set) noexcept;
  explicit Record(const Said& least) noexcept;
  Record() = default;

  bool able = false;          ///< All are.
  bool room = false;          ///< All have.
  bool noted_by_all = false;  ///< Hints wait.
  bool noted_by_none = false;
  bool mailboxes = false;   ///< All have them.
  int cores = 1;            ///< The fewest that the ranks of a node share.
  std::int64_t number = 0;  ///< No two of a rank have the same. What is left at MPI_Finalize is freed in their order, for
                            ///< MPI_Comm_free is collective.
  std::int64_t shared = 0;  ///< That all offer, or 0.
  // Of sparse exchanges. What the ranks do not agree on is as if nobody had wished.
  settings::Exchange exchange = settings::Exchange::automatic;
  int radix = 0;  ///< 0: automatic.
  int channels = 1;
  layout::Bytes segment = 0;
};

/// Lamport's clock: the greatest offer of all ranks wins, and each rank's next is greater. A rank never offers the same twice,
/// and its rank is in its offer: so two communicators that threads make at once have two numbers.
class Numbers {
 public:
  std::int64_t offer(int rank) noexcept { return (++clock_ << rank_bits) | rank; }
  void taken(std::int64_t number) noexcept {
    const std::int64_t time = number >> rank_bits;
    std::int64_t now = clock_;
    while (now < time && !clock_.compare_exchange_weak(now, time)) continue;
  }

 private:
  static constexpr int rank_bits = 31;
  std::atomic<std::int64_t> clock_{0};
};

}  // namespace heddle::select
