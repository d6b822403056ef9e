// report/trace.hpp: when each call of the program was, for a timeline.
//
//   Trace trace(Trace::usual);                                     // room for so many calls; what comes later is counted
//   trace.add({&site, begin, end, bytes, peer, thread_number()});
//   text = trace.to_json(rank, began);                             // events of the Trace Event Format, with commas between
//   TraceFile file(path);  file.add(text);  ...  file.end();       // for Perfetto and chrome://tracing
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>

#include "report/call_site.hpp"
#include "report/whole_file.hpp"

namespace heddle::report {

class Trace {
 public:
  struct Event {
    const CallSite* site;
    double begin, end;   ///< ns.
    std::int64_t bytes;  ///< Negative: nobody knows.
    int peer;            ///< Negative: none.
    std::uint32_t thread;
  };
  static constexpr std::size_t usual = std::size_t{1} << 17;  ///< 6 MiB, of which only what is used is ever touched.

  /// Throws std::bad_alloc.
  explicit Trace(std::size_t most) : most_(most), events_(new Event[most]) {}

  /// Any thread.
  void add(const Event& event) noexcept {
    const std::size_t at = count_.fetch_add(1, std::memory_order_relaxed);
    if (at < most_) events_[at] = event;
  }
  /// When all threads are done. @param began  ns; times are told from there on.
  [[nodiscard]] std::string to_json(int rank, double began) const;
  /// How many calls there was no room for.
  [[nodiscard]] std::size_t missing() const { return count_ > most_ ? count_ - most_ : 0; }

 private:
  std::size_t most_;
  std::unique_ptr<Event[]> events_;
  std::atomic<std::size_t> count_{0};
};

/// Of this thread, from 0 on in the order of their first calls.
std::uint32_t thread_number() noexcept;

/// A whole timeline, or none: it gets its name at the end.
class TraceFile {
 public:
  explicit TraceFile(std::string path);
  /// What to_json() has made, of one rank.
  void add(const std::string& events);
  /// Empty, or what went wrong ("cannot write FILE (why)").
  std::string end();

 private:
  WholeFile file_;
  bool first_ = true;
};

}  // namespace heddle::report
