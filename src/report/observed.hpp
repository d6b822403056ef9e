// report/observed.hpp: observes the program's calls for the report and the timeline. It records
// their place, datatype, communicator, bytes, destinations and time.
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
  /// @param trace  Null: no trace is wanted.
  Observed(Report& report, Trace* trace, const Meanings& meanings) noexcept
      : report_(report), trace_(trace), meanings_(meanings) {}

  Mark begins(const Called& called) noexcept override;
  void ends(const Called& called, const Mark& mark, bool done) noexcept override;

 private:
  Met* meet(const Called& called) noexcept;
  void ask(Met& met, const Called& called);
  /// Bytes of a call that is over; negative: unknown. Counts them for their destinations.
  std::int64_t moved(const Called& called, const Met& met) noexcept;
  std::int64_t start(const Called& called) noexcept;

  Report& report_;
  Trace* trace_;
  const Meanings& meanings_;
  Remembered remembered_;
};

}  // namespace heddle::report
