// report/observed.hpp: observes the program's calls for the report and the timeline. It records
// their place, datatype, communicator, bytes, destinations and time.
//
//   Observed observed(report, {.trace = &trace, .messages = &messages}, meanings);
//   observer.store(&observed);
#pragma once

#include "report/called.hpp"
#include "report/message_log.hpp"
#include "report/remembered.hpp"
#include "report/report.hpp"
#include "report/trace.hpp"

namespace heddle::report {

/// Records of single calls. Null: not wanted.
struct Records {
  Trace* trace = nullptr;
  MessageLog* messages = nullptr;
};

class Observed final : public Observer {
 public:
  Observed(Report& report, const Records& records, const Meanings& meanings) noexcept
      : report_(report), trace_(records.trace), messages_(records.messages), meanings_(meanings) {}

  Mark begins(const Called& called) noexcept override;
  void ends(const Called& called, const Mark& mark, bool done) noexcept override;
  [[nodiscard]] bool follows_messages() const noexcept override { return messages_ != nullptr; }
  [[nodiscard]] bool needs_statuses() const noexcept override { return messages_ && messages_->needs_statuses(); }
  void number(const Ends& ends, std::uint64_t* numbers) const noexcept override {
    if (messages_) messages_->number(ends, numbers);
  }

 private:
  Met* meet(const Called& called) noexcept;
  void ask(Met& met, const Called& called);
  /// Bytes of a call that is over; negative: unknown. Counts them for their destinations.
  std::int64_t moved(const Called& called, const Met& met) noexcept;
  std::int64_t start(const Called& called) noexcept;
  void meet_communicator(const Called& called) noexcept;

  Report& report_;
  Trace* trace_;
  MessageLog* messages_;
  const Meanings& meanings_;
  Remembered remembered_;
};

}  // namespace heddle::report
