// report/call_site.hpp: a place of the program that calls a procedure, with the arguments' names
// and the results of its calls.
//
//   CallSite& site = report.site({"MPI_Send", place, "face", "MPI_COMM_WORLD"});
//   const Caller caller{&site, number};          // of this call
//   report::carried(caller);                     // Heddle has done some of its work, now or later
//   site.ends(caller.number, ns, bytes, Passed::no_holes, caller.carried);
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <string>

#include "report/layout_text.hpp"
#include "report/place.hpp"
#include "threads/handle_table.hpp"
#include "threads/lock.hpp"

namespace heddle::report {

/// The reason why a call was handed on to the MPI library as the program made it.
enum class Passed : std::uint8_t {
  by_nature,  ///< Heddle carries no such calls: reductions, barriers, most of files, calls that complete others' operations.
  off,        ///< HEDDLE=off.
  no_holes,   ///< The data lies in one piece.
  as_set,     ///< A HEDDLE_ variable demands it.
  small,      ///< Packing pays only for more data.
  as_fast,    ///< The MPI library is as fast.
  tried,      ///< In a collective: a trial of the library's way, or the library is as fast.
  unknown,    ///< Heddle does not know the datatype.
  first,      ///< Heddle decodes a long list at its second message (mpi/types/entry.hpp).
  files_off,  ///< A view has holes, and HEDDLE_FILES leaves all accesses to files to the library.
};
constexpr std::array passed_names = {"by nature",
                                     "off",
                                     "no holes",
                                     "as set",
                                     "too little",
                                     "library as fast",
                                     "trial or library as fast",
                                     "unknown datatype",
                                     "first of a long list",
                                     "files off"};

class CallSite {
 public:
  /// The key of a call site.
  struct Name {
    const char* procedure;  ///< "MPI_Send", a literal.
    Place place;
    std::string datatype;      ///< Its name.
    std::string communicator;  ///< Its name.
    Described layout{};        ///< Of a derived datatype without a name.
  };

  explicit CallSite(Name name) : name_(std::move(name)) {}

  /// The outcome of a call, at its return.
  struct End {
    bool carried;  ///< Heddle has carried out the call, or a part of it.
    Passed why;    ///< Otherwise: the reason.
    bool first;    ///< The site's first call, or its first call with this reason.
  };
  /// Counts a call that is over.
  /// @param bytes    Bytes that it sends, or has room for. Negative: unknown.
  /// @param carried  The thread of the call has carried it, or a part of it.
  End ends(std::uint64_t number, double ns, std::int64_t bytes, Passed why, bool carried = false) noexcept {
    const bool first = add(calls_, 1) == 0;
    add(ns_, static_cast<std::int64_t>(ns));
    if (bytes >= 0) {
      add(bytes_, bytes);
      add(sizes_[std::bit_width(static_cast<std::uint64_t>(bytes))], 1);
    }
    if (carried || mark_of(number).load(std::memory_order_relaxed) == number)
      return {.carried = true, .why = why, .first = first};
    why_.store(why, std::memory_order_relaxed);
    const std::int64_t before = passed_[static_cast<std::size_t>(why)].fetch_add(1, std::memory_order_relaxed);
    return {.carried = false, .why = why, .first = before == 0};
  }
  /// Heddle has carried out call `number`, or a part of it. For some calls that turns out after
  /// they have returned: for a receive, when its message has come.
  void carried(std::uint64_t number, bool ended) noexcept {
    if (mark_of(number).exchange(number, std::memory_order_relaxed) == number) return;
    carried_.fetch_add(1, std::memory_order_relaxed);
    if (!ended) return;
    auto& counted = passed_[static_cast<std::size_t>(why_.load(std::memory_order_relaxed))];
    if (counted.load(std::memory_order_relaxed) > 0) counted.fetch_sub(1, std::memory_order_relaxed);
  }

  [[nodiscard]] const Name& name() const { return name_; }
  [[nodiscard]] std::int64_t calls() const { return calls_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t ns() const { return ns_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t carried() const { return carried_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::int64_t passed(std::size_t why) const { return passed_[why].load(std::memory_order_relaxed); }
  /// Calls of 2^(i-1) to 2^i - 1 bytes, or (i = 0) of no bytes.
  [[nodiscard]] std::int64_t of_size(std::size_t i) const { return sizes_[i].load(std::memory_order_relaxed); }
  static constexpr std::size_t sizes = 65;

 private:
  /// Adds to a counter that only ends() changes. With one thread in MPI at a time this needs no
  /// locked instructions, which would take longer than the rest of ends(). (Threads of Heddle may
  /// call carried() at any time.) Returns the value before.
  static std::int64_t add(std::atomic<std::int64_t>& counter, std::int64_t some) noexcept {
    if (threads::concurrent.load(std::memory_order_relaxed)) return counter.fetch_add(some, std::memory_order_relaxed);
    const std::int64_t before = counter.load(std::memory_order_relaxed);
    counter.store(before + some, std::memory_order_relaxed);
    return before;
  }

  /// The mark of a call that Heddle has carried. A later part of a call finds it, unless many other
  /// calls have come meanwhile.
  std::atomic<std::uint64_t>& mark_of(std::uint64_t number) noexcept { return marked_[threads::hash_of(number, mark_bits)]; }

  const Name name_;
  std::atomic<std::int64_t> calls_{0}, ns_{0}, bytes_{0}, carried_{0};
  static constexpr int mark_bits = 6;
  std::array<std::atomic<std::uint64_t>, 1U << mark_bits> marked_{};  // numbers of calls; no number is 0
  std::atomic<Passed> why_{Passed::by_nature};
  std::array<std::atomic<std::int64_t>, passed_names.size()> passed_{};
  std::array<std::atomic<std::int64_t>, sizes> sizes_{};
};

/// Calls from a site that used one algorithm.
struct Chosen {
  std::atomic<std::int64_t> calls{0}, bytes{0};
};

/// One call from a site.
struct Caller {
  CallSite* site = nullptr;  ///< Null: no report is wanted, or the call is Heddle's own.
  std::uint64_t number = 0;  ///< Among all calls of all threads. Numbers begin with 1.
  bool ended = false;        ///< It has returned, and a later call does work for it.
  bool carried = false;      ///< This thread has carried it, or a part of it.
  Chosen* chosen = nullptr;  ///< Its algorithm, if one was chosen.
};

/// The call of the program that this thread is in.
inline thread_local constinit Caller caller_of_thread [[gnu::tls_model("initial-exec")]];

}  // namespace heddle::report
