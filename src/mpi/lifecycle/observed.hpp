// mpi/lifecycle/observed.hpp: the program's calls, for the report and the trace: where they come from, with which datatype on
// which communicator, what they took. Includes timed.hpp, report/.
//
//   static Observed observed(*report, trace);
//   timed::observer.store(&observed);
#pragma once

#include "mpi/lifecycle/timed.hpp"
#include "mpi/lifecycle/volume.hpp"
#include "report/remembered.hpp"
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
  using Met = report::Met;

  Met* meet(const Called& called) noexcept;
  void ask(Met& met, const Called& called);
  /// Bytes of a call that is over; negative: nobody knows. Counts who gets them.
  std::int64_t moved(const Called& called, const Met& met) noexcept;
  std::int64_t start(const Called& called) noexcept;

  report::Report& report_;
  report::Trace* trace_;
  report::Remembered remembered_;
};

}  // namespace heddle::mpi
