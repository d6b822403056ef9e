// report/reporting.hpp: tells the report (HEDDLE_REPORT) of calls. Without a report, this costs a
// call one branch.
//
//   ReportedCall reported("send");
//   { const Stopwatch watch(reported.times(), &Times::pack);  pack(); }
//   reported.end(layout, "packed", bytes);
#pragma once

#include <atomic>
#include <utility>

#include "report/report.hpp"
#include "threads/read_by_every_call.hpp"

namespace heddle::report {

/// Null: no report is wanted.
HEDDLE_READ_BY_EVERY_CALL extern constinit std::atomic<Report*> of_process;

/// The call of the program that this thread is in. Without a report, there is none.
inline Caller caller() noexcept { return of_process.load(std::memory_order_relaxed) ? caller_of_thread : Caller(); }

/// Records that Heddle has carried out a call, or a part of it.
inline void carried(const Caller& caller) noexcept {
  if (!caller.site) return;
  const bool ended = caller.ended || caller_of_thread.number != caller.number;
  if (!ended && std::exchange(caller_of_thread.carried, true)) return;
  caller.site->carried(caller.number, ended);
}

/// While it lives, work of this thread counts for an earlier call of the program.
class InTheNameOf {
 public:
  explicit InTheNameOf(const Caller& caller) noexcept : before_(caller.site ? caller_of_thread : caller) {
    const bool other = caller.number != before_.number;
    if (caller.site) caller_of_thread = {caller.site, caller.number, other || before_.ended, !other && before_.carried};
    set_ = caller.site != nullptr;
  }
  ~InTheNameOf() {
    if (caller_of_thread.number == before_.number) before_.carried = caller_of_thread.carried;
    if (set_) caller_of_thread = before_;
  }
  InTheNameOf(const InTheNameOf&) = delete;
  InTheNameOf& operator=(const InTheNameOf&) = delete;

 private:
  Caller before_;
  bool set_;
};

/// Counts a short block that went by a mailbox, or was retracted.
inline void tell_of_mailed(Mailed what, layout::Bytes bytes) noexcept {
  Report* const report = of_process.load(std::memory_order_relaxed);
  if (!report) return;
  report->add_mailed(what, bytes);
  if (what == Mailed::blocking || what == Mailed::persistent) carried(caller_of_thread);
}

/// Counts the algorithm of a collective. Empty: the library's.
inline void tell_of_algorithm(std::string_view algorithm) noexcept {
  Report* const report = of_process.load(std::memory_order_relaxed);
  if (!report || !caller_of_thread.site) return;
  caller_of_thread.chosen = report->add_algorithm(caller_of_thread, algorithm.empty() ? "the library's" : algorithm);
  if (!algorithm.empty()) carried(caller_of_thread);
}

/// True if an observer remembers the meaning of handles.
inline constinit std::atomic<bool> handles_remembered{false};
/// Changes whenever a handle may have a new meaning. Observers then ask for names again.
inline constinit std::atomic<unsigned> handles_changed{0};
inline void tell_of_new_handle() noexcept {
  if (handles_remembered.load(std::memory_order_relaxed)) handles_changed.fetch_add(1, std::memory_order_relaxed);
}

/// A call, or one end of a message.
class ReportedCall {
 public:
  /// @param call  A literal.
  explicit ReportedCall(const char* call) noexcept : report_(of_process.load(std::memory_order_relaxed)), call_(call) {
    if (report_) caller_ = caller_of_thread;
  }
  /// For work that an earlier call of the program has begun.
  ReportedCall(const char* call, const Caller& caller) noexcept
      : report_(of_process.load(std::memory_order_relaxed)), call_(call), caller_(caller) {}

  [[nodiscard]] Times* times() noexcept { return report_ ? &times_ : nullptr; }
  [[nodiscard]] bool wanted() const noexcept { return report_ != nullptr; }
  /// @param way  A literal. @param why  Returns the reason for the way; it may never be called.
  void end(const layout::Layout& layout, const char* way, layout::Bytes bytes,
           const std::function<std::string()>& why = {}) const noexcept {
    if (!report_) return;
    report_->add(call_, layout, way, bytes, times_, caller_, why);
    carried(caller_);
  }

 private:
  Report* report_;
  const char* call_;
  Caller caller_;
  Times times_;
};

}  // namespace heddle::report
