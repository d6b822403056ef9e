// report/observed.hpp: the program's calls, for the report and the timeline: where they come from,
// with which datatype on which communicator, what they moved to whom, what they took.
//
//   Observed observed(report, trace, meanings);
//   observer.store(&observed);
#pragma once

#include "report/called.hpp"
#include "report/remembered.hpp"
#include "report/report.hpp"
#include "report/trace.hpp"

namespace heddle::report {

class Observed final : public Observer {
 public:
  /// @param trace  Null: none is wanted.
  Observed(Report& report, Trace* trace, const Meanings& meanings) noexcept
      : report_(report), trace_(trace), meanings_(meanings) {}

  Mark begins(const Called& called) noexcept override;
  void ends(const Called& called, const Mark& mark, bool done) noexcept override;

 private:
  Met* meet(const Called& called) noexcept;
  void ask(Met& met, const Called& called);
  /// Bytes of a call that is over; negative: nobody knows. Counts who gets them.
  std::int64_t moved(const Called& called, const Met& met) noexcept;
  std::int64_t start(const Called& called) noexcept;

  Report& report_;
  Trace* trace_;
  const Meanings& meanings_;
  Remembered remembered_;
};

}  // namespace heddle::report
