// report/late_ranks.hpp: finds the ranks that others waited for, from the logs of messages of all
// ranks. Callers carry the notes between the ranks.
//
//   LateRanks late(log, me, ranks, ahead);
//   Notes<Answer> answers = late.answer(exchanged(late.sent(most)));         // 1. to receivers, and back
//   late.hear(exchanged(answers));
//   late.hear(exchanged(LateRanks::latest(exchanged(late.arrived()))));      // 2. collectives
//   for (const Late& each : late.found()) report.add_late(each);
//
// A message has a *late sender* if its receiver already waited when its sender began to send. It
// has a *late receiver* if its sender still waited when the receive began. A call may wait for
// several messages. Then the longest of these waits counts, for its rank.
//
//   receiver  ──[ MPI_Waitall  ░░░░░░░░░░░░░░──]──      ░ late sender: from the begin of the wait
//                                           ↗              to the begin of the send
//   sender    ─────────────────────[ MPI_Isend ]──
//
// A rank that is late may itself have waited for a third rank. The analysis does not follow that.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/late.hpp"
#include "report/message_log.hpp"
#include "report/trace.hpp"

namespace heddle::report {

/// Notes for each rank, or from each: those of rank 0 first.
template <class Note>
struct Notes {
  explicit Notes(int ranks) : counts(static_cast<std::size_t>(ranks)) {}
  std::vector<Note> notes;
  std::vector<int> counts;
};

/// A send, for its receiver. Times in notes are ns of rank 0's clock.
struct Sent {
  std::uint64_t communicator;
  double begun;
  std::int32_t tag;
  std::uint32_t number;
};
/// The receiver's answer.
struct Answer {
  double begun;  ///< Begin of the receive; negative: no completed receive is known.
};
/// An arrival at a collective.
struct Arrived {
  std::uint64_t communicator;
  double begun;
  double ended;  ///< The errors of clocks are added.
  std::uint32_t number;
  std::int32_t is_root;
};
/// The answer: the last rank that came before the asking rank left, and the root; negative: none.
struct Latest {
  double last_begun, root_begun;
  std::int32_t last, root;
};

class LateRanks {
 public:
  /// @param ahead  Rank 0's clock minus this rank's clock, ns.
  /// @param error  The largest error of such a difference in the job, ns.
  LateRanks(const MessageLog& log, int me, int ranks, double ahead, double error)
      : log_(log), me_(me), ranks_(ranks), ahead_(ahead), error_(2 * error) {}

  /// The number of receives from each rank. Throws std::bad_alloc, like all that follow.
  [[nodiscard]] std::vector<int> received() const;
  /// For the receivers.
  /// @param most  Receives of each rank from this one. Further sends have no receive there.
  Notes<Sent> sent(const std::vector<int>& most);
  /// Finds the receives of messages that other ranks have sent.
  Notes<Answer> answer(const Notes<Sent>& sent);
  void hear(const Notes<Answer>& answers);

  /// For a rank that compares the arrivals at a collective; each rank does so for some of them.
  [[nodiscard]] Notes<Arrived> arrived() const;
  static Notes<Latest> latest(const Notes<Arrived>& arrived);
  void hear(const Notes<Latest>& latest);

  [[nodiscard]] std::vector<Late> found() const;
  [[nodiscard]] const std::vector<Arrow>& arrows() const { return arrows_; }

 private:
  void wait(const Waited& waited, double until, Cause cause, int rank);
  [[nodiscard]] std::size_t comparing(const Arrival& arrival) const noexcept;

  static constexpr double slack = 20e3;  // Tolerated beyond that, for clocks that drift, ns.

  const MessageLog& log_;
  int me_, ranks_;
  double ahead_;
  double error_;                                     // An event of another rank may seem to be so much later than it was, ns.
  std::vector<std::uint32_t> told_;                  // sends whose receivers know of them, in the order of the notes
  std::unordered_map<std::uint32_t, Late> longest_;  // key: call
  std::vector<Arrow> arrows_;
};

}  // namespace heddle::report
