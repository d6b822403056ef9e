// mpi/interposition/timed.hpp: a procedure of Heddle's with a stopwatch around it. Includes report/times.hpp.
//
// Where HEDDLE_REPORT names a file when Heddle is loaded, this takes the host's place instead of the procedure itself: without
// a report nobody pays for it, not even by a branch. It times calls with HEDDLE=off, too, so that before and after can be
// compared.
#pragma once

#include "report/times.hpp"

namespace heddle::mpi::interposition {

template <auto procedure>
struct Timed;

template <class... Arguments, int (*procedure)(Arguments...)>
struct Timed<procedure> {
  static inline constinit report::Spent spent;

  static int call(Arguments... arguments) {
    const Span span;
    return procedure(arguments...);
  }

 private:
  /// An object, because error handlers of the program may throw.
  class Span {
   public:
    Span() noexcept : since_(report::now()) {}
    ~Span() {
      spent.calls.fetch_add(1, std::memory_order_relaxed);
      spent.ns.fetch_add(static_cast<std::int64_t>(report::now() - since_), std::memory_order_relaxed);
    }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    double since_;
  };
};

}  // namespace heddle::mpi::interposition
