// report/trace.hpp: records the time of each call of the program, for a timeline.
//
//   Trace trace(Trace::usual);                                     // room for so many calls; later calls are only counted
//   trace.add({&site, begin, end, bytes, peer, thread_number()});
//   text = trace.to_json(rank, began, arrows);                             // events of the Trace Event Format, with commas
//   between TraceFile file(path);  file.add(text);  ...  file.end();       // for Perfetto and chrome://tracing
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "report/call_site.hpp"
#include "report/whole_file.hpp"

namespace heddle::report {

/// One end of a matched message, for an arrow in a timeline.
struct Arrow {
  bool is_send;
  double at;  ///< ns, of this rank's clock.
  std::uint32_t thread;
  int from;              ///< The sender.
  std::uint32_t number;  ///< The message's place among those of the sender.
};

class Trace {
 public:
  struct Event {
    const CallSite* site;
    double begin, end;   ///< ns.
    std::int64_t bytes;  ///< Negative: unknown.
    int peer;            ///< Negative: none.
    std::uint32_t thread;
  };
  static constexpr std::size_t usual = std::size_t{1} << 17;  ///< 5 MiB; only the used part is touched.

  /// Throws std::bad_alloc.
  explicit Trace(std::size_t most) : most_(most), events_(new Event[most]) {}

  /// Any thread may call.
  void add(const Event& event) noexcept {
    const std::size_t at = count_.fetch_add(1, std::memory_order_relaxed);
    if (at < most_) events_[at] = event;
  }
  /// Call it when all threads are done.
  /// @param began  ns: times count from here.
  /// @param arrows  From sends to the calls that completed their receives.
  [[nodiscard]] std::string to_json(int rank, double began, std::span<const Arrow> arrows = {}) const;
  /// The number of calls for which there was no room.
  [[nodiscard]] std::size_t missing() const { return count_ > most_ ? count_ - most_ : 0; }

 private:
  std::size_t most_;
  std::unique_ptr<Event[]> events_;
  std::atomic<std::size_t> count_{0};
};

/// The number of this thread. Threads count from 0, in the order of their first calls.
std::uint32_t thread_number() noexcept;

/// A file of a timeline. It gets its name at the end, so that it is whole or absent.
class TraceFile {
 public:
  explicit TraceFile(std::string path);
  /// Adds the text of to_json() of one rank.
  void add(const std::string& events);
  /// An error ("cannot write FILE (why)"), or nothing.
  std::string end();

 private:
  WholeFile file_;
  bool first_ = true;
};

}  // namespace heddle::report
