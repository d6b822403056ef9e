// report/called.hpp: a call of the program, as whoever looks on is told of it. Handles are numbers
// here (threads::key_of), 0 where they are null; arrays are the program's own, and Meanings reads
// them.
//
//   class Observed final : public Observer { ... };                      // observed.hpp, explained.hpp
//   observer.store(&observed);                                           // from now on it is told
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "report/call_site.hpp"
#include "report/volume.hpp"

namespace heddle::report {

/// What a rank sends to the others, or has room for from them, as the program says it.
struct Blocks {
  bool in_place = false;
  std::int64_t count = 0;             ///< Of each block, if there are no counts.
  const int* counts = nullptr;        ///< Of each block,
  const void* wide_counts = nullptr;  ///< or of MPI_Count.
  std::uint64_t type = 0;             ///< Of each block, if there are no types.
  const void* types = nullptr;
};

/// A call of the program.
struct Called {
  static constexpr int nobody = -1;  ///< MPI_PROC_NULL.
  static constexpr int itself = -2;  ///< MPI_ROOT.

  int procedure = 0;           ///< Its place among those that Heddle stands in for.
  const void* from = nullptr;  ///< The address that it returns to.
  bool typed = false;          ///< It has a datatype.
  std::uint64_t type = 0;
  std::uint64_t communicator = 0;
  bool in_place = false;
  std::int64_t count = -1;         ///< Of elements; of requests that are started. Negative: it has none.
  int peer = nobody;               ///< The rank that it is sent to.
  int root = nobody;               ///< A rank, nobody or itself.
  const void* requests = nullptr;  ///< One that is made persistent, or those that are started.
  Pattern pattern = Pattern::none;
  Blocks sent{};
  Blocks received{};
  bool later = false;  ///< It moves nothing: starts of its request do.
};

/// What the numbers and arrays of a call mean. Asked of MPI, by any thread.
class Meanings {
 public:
  [[nodiscard]] virtual const char* procedure(int number) const noexcept = 0;
  /// Whether it is a datatype, as far as can be seen: on ranks of which a collective asks none it may be anything, and nothing
  /// else must be asked about it.
  [[nodiscard]] virtual bool is_datatype(std::uint64_t type) const noexcept = 0;
  /// Whether it is a derived datatype that Heddle has seen committed; whatever it is, it may be asked.
  [[nodiscard]] virtual bool is_derived(std::uint64_t type) const noexcept = 0;
  /// Names; empty: it has none. Throw std::bad_alloc.
  [[nodiscard]] virtual std::string datatype(std::uint64_t type) const = 0;
  [[nodiscard]] virtual std::string communicator(std::uint64_t comm) const = 0;
  /// Bytes; negative: nobody knows.
  [[nodiscard]] virtual std::int64_t size_of(std::uint64_t type) const noexcept = 0;
  /// Throws std::bad_alloc.
  [[nodiscard]] virtual Partners partners(std::uint64_t comm) const = 0;
  /// How many types a call has for what it sends and receives, where there is one for each block.
  [[nodiscard]] virtual std::pair<int, int> types_of(const Called& called) const = 0;
  /// Why Heddle hands a call on that it has not carried out. @param chosen  The library's way was chosen for it.
  [[nodiscard]] virtual Passed why(const Called& called, bool chosen) const noexcept = 0;

  [[nodiscard]] virtual std::uint64_t type_at(const void* types, int i) const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t request_at(const void* requests, int i) const noexcept = 0;
  [[nodiscard]] virtual std::int64_t count_at(const void* wide_counts, int i) const noexcept = 0;

 protected:
  ~Meanings() = default;
};

/// Who looks on. Any thread.
class Observer {
 public:
  /// What it keeps of a call.
  struct Mark {
    void* met = nullptr;  ///< Null: it does not look at this one.
    Caller before;
    double since = 0;
  };
  virtual Mark begins(const Called& called) noexcept = 0;
  /// @param done  It has returned MPI_SUCCESS: its arguments are what they should be.
  virtual void ends(const Called& called, const Mark& mark, bool done) noexcept = 0;

 protected:
  ~Observer() = default;
};
/// Null: nobody.
inline constinit std::atomic<Observer*> observer{nullptr};

}  // namespace heddle::report
