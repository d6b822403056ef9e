// report/log.hpp: HEDDLE_LOG prints the decisions about the program's calls on stderr, a line each.
//
//   Log log(Log::Level::debug, rank);
//   report.log_to(&log);               // the report then tells it of each row, algorithm and call
//
//   heddle 0: MPI_Send in main (app+0x12a4): send of 65536 B, loop 128 × 4096 B { block 512 }: multi-w: <reason>
//   heddle 0: MPI_Send in main (app+0x12a4): 65536 B, 14.2 us: by Heddle
//   heddle 0: MPI_Waitall in main (app+0x1310): 3.1 us: by the MPI library (by nature)
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "layout/layout.hpp"
#include "report/call_site.hpp"

namespace heddle::report {

/// Any thread may call.
class Log {
 public:
  enum class Level { info, debug };
  using Write = std::function<void(const std::string& line)>;

  /// @param write  Gets each line with its newline. The default writes to stderr.
  Log(Level level, int rank, Write write = {});

  // Level info prints the first line of each kind and call site. Level debug prints all lines.

  /// One end of a message, or a collective, has gone `way`.
  /// @param call  "send", "receive", ...  @param site  Null: unknown.
  void add_way(bool first, const CallSite* site, const char* call, layout::Bytes bytes, std::string_view datatype,
               const char* way, std::string_view why) noexcept;
  /// A collective uses an algorithm.
  void add_algorithm(bool first, const CallSite* site, std::string_view algorithm) noexcept;
  /// A call of the program has returned. @param bytes  Negative: unknown.
  void add_call(const CallSite& site, const CallSite::End& end, std::int64_t bytes, double ns) noexcept;

 private:
  [[nodiscard]] bool prints(bool first) const { return first || level_ == Level::debug; }
  void print(const CallSite* site, const std::string& text);

  const Level level_;
  const std::string begin_;  // "heddle 0: "
  const Write write_;
};

}  // namespace heddle::report
