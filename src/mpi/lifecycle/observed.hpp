// mpi/lifecycle/observed.hpp: the program's calls, for the report and the trace: where they come from, with which datatype on
// which communicator, what they took. Includes timed.hpp, report/.
//
//   static Observed observed(*report, trace);
//   timed::observer.store(&observed);
#pragma once

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mpi/lifecycle/timed.hpp"
#include "mpi/lifecycle/volume.hpp"
#include "report/report.hpp"
#include "report/trace.hpp"

namespace heddle::mpi {

class Observed final : public timed::Observer {
 public:
  /// @param trace  Null: none is wanted.
  Observed(report::Report& report, report::Trace* trace) noexcept : report_(report), trace_(trace) {}

  Mark begins(const timed::Called& called) noexcept override;
  void ends(const timed::Called& called, const Mark& mark, bool done) noexcept override;

 private:
  using Called = timed::Called;

  /// What is known of calls from one place with one datatype on one communicator. Names and sizes are asked for when it is
  /// first met, and again when handles may have come to mean others.
  struct Met {
    int procedure;
    const void* from;
    MPI_Datatype type;
    MPI_Comm communicator;
    std::atomic<unsigned> asked{0};  // handles_changed, when it was
    std::atomic<report::CallSite*> site{nullptr};
    std::atomic<std::int64_t> size{-1};                      // of the datatype, bytes
    std::atomic<const report::Partners*> partners{nullptr};  // on the communicator, if what the call moves depends on it
  };
  /// What starts of a persistent request move.
  struct Planned {
    std::int64_t bytes = 0;
    std::vector<std::pair<int, std::int64_t>> to;  // ranks of MPI_COMM_WORLD
  };
  static constexpr int slot_bits = 12;
  static constexpr std::size_t most_met = std::size_t{1} << 16;

  Met* meet(const Called& called) noexcept;
  /// One that is met for the first time. With lock_.
  Met* add(std::atomic<Met*>& slot, const Called& called);
  void ask(Met& met, const Called& called);
  const report::Partners* partners_of(MPI_Comm comm);
  /// Bytes of a call that is over; negative: nobody knows. Counts who gets them.
  std::int64_t moved(const Called& called, const Met& met) noexcept;
  void plan(MPI_Request request, Planned planned);
  std::int64_t start(const Called& called) noexcept;

  report::Report& report_;
  report::Trace* trace_;
  std::mutex lock_;
  std::deque<Met> met_;
  std::array<std::atomic<Met*>, std::size_t{1} << slot_bits> slots_{};  // hashed, read without the lock
  std::map<std::uint64_t, std::pair<unsigned, std::unique_ptr<report::Partners>>> partners_;
  std::deque<std::unique_ptr<report::Partners>> former_;  // other threads may be reading them
  std::unordered_map<std::uint64_t, Planned> planned_;    // by request
};

}  // namespace heddle::mpi
