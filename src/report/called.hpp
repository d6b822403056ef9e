// report/called.hpp: a call of the program, in the form in which observers see it. Handles are
// numbers here (threads::key_of); 0 is a null handle. Arrays are the program's own, and Meanings
// reads them.
//
//   class Observed final : public Observer { ... };                      // observed.hpp, explained.hpp
//   observer.store(&observed);                                           // it observes all later calls
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <utility>

#include "report/call_site.hpp"
#include "report/ends.hpp"
#include "report/volume.hpp"

namespace heddle::report {

/// The blocks that a rank sends to others, or has room for from them, as the program's arguments
/// give them.
struct Blocks {
  bool in_place = false;
  std::int64_t count = 0;             ///< Count of each block, if both arrays of counts are null.
  const int* counts = nullptr;        ///< One for each block.
  const void* wide_counts = nullptr;  ///< One for each block, of type MPI_Count.
  std::uint64_t type = 0;             ///< Datatype of each block, if `types` is null.
  const void* types = nullptr;

  [[nodiscard]] bool has_counts() const noexcept { return counts != nullptr || wide_counts != nullptr; }
  /// Some argument has an element for each block.
  [[nodiscard]] bool has_list() const noexcept { return has_counts() || types != nullptr; }
};

/// A call of the program.
struct Called {
  static constexpr int nobody = -1;  ///< MPI_PROC_NULL.
  static constexpr int itself = -2;  ///< MPI_ROOT.

  int procedure = 0;           ///< Its number among the observed procedures.
  const void* from = nullptr;  ///< Its return address.
  bool carriable = false;      ///< Heddle may carry out calls of this procedure.
  bool typed = false;          ///< It has a datatype.
  std::uint64_t type = 0;
  std::uint64_t communicator = 0;  ///< A communicator; of one-sided calls, the window.
  bool windowed = false;           ///< It is a window.
  bool in_place = false;
  std::int64_t count = -1;         ///< Number of elements, or of requests that are started. Negative: it has none.
  int peer = nobody;               ///< The destination rank.
  bool no_partner = false;         ///< It moves no data of `type`: destination and source are MPI_PROC_NULL.
  bool no_source = false;          ///< It receives nothing: its source is MPI_PROC_NULL.
  int root = nobody;               ///< A rank, nobody or itself.
  const void* requests = nullptr;  ///< The new persistent request, or the requests that are started.
  Pattern pattern = Pattern::none;
  Blocks sent{};
  Blocks received{};
  bool later = false;  ///< It moves no data: starts of its request do.
  Ends ends{};         ///< Set if an observer follows messages.
};

/// Gives the meaning of a call's numbers and arrays, by asking MPI. Any thread may call.
class Meanings {
 public:
  [[nodiscard]] virtual const char* procedure(int number) const noexcept = 0;
  /// True if the number seems to be a datatype. On ranks where a collective ignores the argument,
  /// it may be any value. Then no other function may be called with it.
  [[nodiscard]] virtual bool is_datatype(std::uint64_t type) const noexcept = 0;
  /// True if the number is a derived datatype that Heddle has seen committed. Any value is allowed
  /// here.
  [[nodiscard]] virtual bool is_derived(std::uint64_t type) const noexcept = 0;
  /// The names of a datatype, a communicator and a window; empty: it has none. They throw
  /// std::bad_alloc.
  [[nodiscard]] virtual std::string datatype(std::uint64_t type) const = 0;
  [[nodiscard]] virtual std::string communicator(std::uint64_t comm) const = 0;
  [[nodiscard]] virtual std::string window(std::uint64_t window) const = 0;
  /// The layout of a derived datatype; empty: it has none that Heddle can decode. Throws
  /// std::bad_alloc.
  [[nodiscard]] virtual Described layout(std::uint64_t type) const = 0;
  /// Bytes; negative: unknown.
  [[nodiscard]] virtual std::int64_t size_of(std::uint64_t type) const noexcept = 0;
  /// Throws std::bad_alloc.
  [[nodiscard]] virtual Partners partners(std::uint64_t comm) const = 0;
  /// The numbers of sent and of received blocks, in a call with a count or a type for each block.
  [[nodiscard]] virtual std::pair<int, int> blocks_of(const Called& called) const = 0;
  /// The reason why Heddle has handed a call on. @param chosen  A decision chose the library's way.
  [[nodiscard]] virtual Passed why(const Called& called, bool chosen) const noexcept = 0;

  [[nodiscard]] virtual std::uint64_t type_at(const void* types, int i) const noexcept = 0;
  [[nodiscard]] virtual std::uint64_t request_at(const void* requests, int i) const noexcept = 0;
  [[nodiscard]] virtual std::int64_t count_at(const void* wide_counts, int i) const noexcept = 0;
  /// Source and tag of a status. The source is negative if the message had none (MPI_PROC_NULL).
  [[nodiscard]] virtual std::pair<int, int> status_at(const void* statuses, int i) const noexcept = 0;
  /// True if the status is of a message that was cancelled.
  [[nodiscard]] virtual bool is_cancelled(const void* statuses, int i) const noexcept = 0;
  /// The handle of a communicator that a call has just made; 0: none.
  [[nodiscard]] virtual std::uint64_t communicator_at(const void* made) const noexcept = 0;

 protected:
  ~Meanings() = default;
};

/// The count of block i.
[[nodiscard]] inline std::int64_t count_of(const Blocks& blocks, int i, const Meanings& meanings) noexcept {
  return blocks.counts ? blocks.counts[i] : blocks.wide_counts ? meanings.count_at(blocks.wide_counts, i) : blocks.count;
}

/// An observer of calls. Any thread may call it.
class Observer {
 public:
  /// The observer's notes about a call.
  struct Mark {
    void* met = nullptr;  ///< Null: it ignores this call.
    Caller before;
    double since = 0;
    double within = 0;  ///< Time of calls that are over, within the call that this call is a part of, ns.
  };
  virtual Mark begins(const Called& called) noexcept = 0;
  /// @param done  The call has returned MPI_SUCCESS, so its arguments are valid.
  virtual void ends(const Called& called, const Mark& mark, bool done) noexcept = 0;
  /// True: calls must have their `ends`.
  [[nodiscard]] virtual bool follows_messages() const noexcept { return false; }
  /// True: calls that complete requests need statuses, even if the program ignores them.
  [[nodiscard]] virtual bool needs_statuses() const noexcept { return false; }
  /// Sets a number for each request of a call that completes requests. Once the call has returned,
  /// another thread may get the same requests for other messages.
  virtual void number(const Ends& /*ends*/, std::uint64_t* /*numbers*/) const noexcept {}

 protected:
  ~Observer() = default;
};
/// The observer; null: none.
inline constinit std::atomic<Observer*> observer{nullptr};

}  // namespace heddle::report
