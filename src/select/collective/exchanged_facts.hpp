// select/collective/exchanged_facts.hpp: the facts that the ranks of a communicator exchange once,
// before Heddle carries out its collectives.
//
//   Record::Facts said = Record::said({...}, settings);
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
  /// The facts of one rank.
  struct Own {
    bool able;            ///< The rank can carry out collectives.
    bool room;            ///< The rank may have another communicator of Heddle's own.
    bool noted;           ///< Hints wait for the new communicator.
    bool mailboxes;       ///< The rank has mailboxes.
    int cores;            ///< Cores that the ranks of its node share.
    std::int64_t number;  ///< The number that the rank offers (Numbers).
    std::int64_t shared;  ///< A communicator that may be shared (mpi/exchange/tag_space.hpp); 0: none.
  };
  /// The least of each number wins. If the greatest should win, the number travels with its sign
  /// turned.
  using Facts = std::array<long, 17>;
  static Facts said(const Own& own, const settings::Settings& set) noexcept;
  explicit Record(const Facts& least) noexcept;
  Record() = default;

  bool able = false;          ///< All ranks are able.
  bool room = false;          ///< All ranks may have another communicator of Heddle's own.
  bool noted_by_all = false;  ///< Hints wait on all ranks.
  bool noted_by_none = false;
  bool mailboxes = false;   ///< All ranks have mailboxes.
  int cores = 1;            ///< The fewest cores that the ranks of a node share.
  std::int64_t number = 0;  ///< Unique among the communicators of a rank. MPI_Finalize frees remaining communicators in this
                            ///< order, because MPI_Comm_free is collective.
  std::int64_t shared = 0;  ///< The communicator that all ranks offer to share, or 0.
  // Sparse exchanges. A value that differs between ranks does not count.
  settings::Exchange exchange = settings::Exchange::automatic;
  int radix = 0;  ///< 0: automatic.
  int channels = 1;
  layout::Bytes segment = 0;
};

/// Lamport's clock: the greatest offer of all ranks wins, and each rank's next offer is greater. A
/// rank never offers a number twice, and its rank is part of the offer. So two communicators that
/// threads make at the same time have two numbers.
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
