// mpi/process/reporting.hpp: HEDDLE_REPORT. Includes report/. One branch is all that it costs a call when nobody wants a
// report.
//
//   ReportedCall reported("send");
//   { const report::Stopwatch watch(reported.times(), &report::Times::pack);  pack(); }
//   reported.end(layout, "packed", bytes);
#pragma once

#include <atomic>

#include "report/report.hpp"

namespace heddle::mpi {

/// Null: no report is wanted.
inline constinit std::atomic<report::Report*> report_of_process{nullptr};

/// A short block that has gone by a mailbox, or was retracted.
inline void tell_of_mailed(report::Mailed what, layout::Bytes bytes) noexcept {
  if (report::Report* report = report_of_process.load(std::memory_order_relaxed)) report->add_mailed(what, bytes);
}

/// A call, or one end of a message.
class ReportedCall {
 public:
  /// @param call  A literal.
  explicit ReportedCall(const char* call) noexcept : report_(report_of_process.load(std::memory_order_relaxed)), call_(call) {}

  [[nodiscard]] report::Times* times() noexcept { return report_ ? &times_ : nullptr; }
  /// @param way  A literal.
  void end(const layout::Layout& layout, const char* way, layout::Bytes bytes) const noexcept {
    if (report_) report_->add(call_, layout, way, bytes, times_);
  }

 private:
  report::Report* report_;
  const char* call_;
  report::Times times_;
};

}  // namespace heddle::mpi
