// mpi/lifecycle/timed.hpp: a procedure of Heddle's with somebody around it who looks on. Includes host.hpp,
// report/call_site.hpp, report/volume.hpp.
//
// Where a HEDDLE_ variable asks for a report, a trace or explanations when Heddle is loaded, this takes the host's place
// instead of the procedure itself: otherwise nobody pays for it, not even by a branch. It sees calls with HEDDLE=off, too, so
// that before and after can be compared.
//
//   Timed<&MPI_Send, 17, Positions{.buffer = 0, .count = 1, .type = 2, .peer = 3, .communicator = 5}>::call
#pragma once

#include <atomic>
#include <cstdint>
#include <tuple>
#include <type_traits>

#include "mpi/process/host.hpp"
#include "report/call_site.hpp"
#include "report/volume.hpp"

namespace heddle::mpi::timed {

using report::Pattern;

/// Which parameter of a procedure is what, on the side that sends or that receives; -1: none is.
struct BlockPositions {
  int buffer = -1;
  int count = -1;   ///< Of each block.
  int counts = -1;  ///< The same for each peer.
  int type = -1;
  int types = -1;  ///< The same for each peer.
};

/// Which parameter of a procedure is what; -1: none is. Made by host_procedures.py.
struct Positions {
  int buffer = -1;  ///< Of the datatype's data.
  int count = -1;   ///< Of elements; of requests that are started.
  int type = -1;    ///< Of what is sent, or of the only datatype.
  int peer = -1;    ///< The rank that it is sent to.
  int communicator = -1;
  int root = -1;
  int request = -1;  ///< One that is made persistent, or those that are started.
  Pattern pattern = Pattern::none;
  BlockPositions sent{};
  BlockPositions received{};
  bool later = false;  ///< It moves nothing: starts of its request do.
};

/// What a rank sends to the others, or has room for from them, as the program says it.
struct Blocks {
  const void* buffer = nullptr;
  MPI_Count count = 0;  ///< Of each block, if there are no counts.
  const int* counts = nullptr;
  const MPI_Count* wide_counts = nullptr;
  MPI_Datatype type = MPI_DATATYPE_NULL;  ///< Of each block, if there are no types.
  const MPI_Datatype* types = nullptr;
};

/// A call of the program.
struct Called {
  int procedure;     ///< Its place in procedures().
  const void* from;  ///< The address that it returns to.
  bool typed = false;
  MPI_Datatype type{};
  MPI_Comm communicator = MPI_COMM_NULL;
  const void* buffer = nullptr;
  MPI_Count count = -1;
  int peer = MPI_PROC_NULL;
  int root = MPI_PROC_NULL;
  const MPI_Request* requests = nullptr;
  Pattern pattern = Pattern::none;
  Blocks sent{};
  Blocks received{};
  bool later = false;
};

/// Who looks on. Any thread.
class Observer {
 public:
  /// What it keeps of a call.
  struct Mark {
    void* met = nullptr;  ///< Null: it does not look at this one.
    report::Caller before;
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

template <auto procedure, int number, Positions at>
struct Timed;

template <class... Arguments, int (*procedure)(Arguments...), int number, Positions at>
struct Timed<procedure, number, at> {
  static int call(Arguments... arguments) {
    Observer* const looks = observer.load(std::memory_order_acquire);
    if (!looks) return procedure(arguments...);
    Span span(*looks, called(__builtin_return_address(0), std::tuple<Arguments...>(arguments...)));
    const int result = procedure(arguments...);
    span.done = result == MPI_SUCCESS;
    return result;
  }

 private:
  static Called called(const void* from, const std::tuple<Arguments...>& given) noexcept {
    Called call{.procedure = number, .from = from, .pattern = at.pattern, .later = at.later};
    if constexpr (at.type >= 0) {
      call.typed = true;
      call.type = std::get<at.type>(given);
    }
    if constexpr (at.communicator >= 0) call.communicator = std::get<at.communicator>(given);
    if constexpr (at.buffer >= 0) call.buffer = std::get<at.buffer>(given);
    if constexpr (at.count >= 0) call.count = std::get<at.count>(given);
    if constexpr (at.peer >= 0) call.peer = std::get<at.peer>(given);
    if constexpr (at.root >= 0) call.root = std::get<at.root>(given);
    if constexpr (at.request >= 0) call.requests = std::get<at.request>(given);
    take<at.sent>(call.sent, given);
    take<at.received>(call.received, given);
    return call;
  }
  template <BlockPositions of>
  static void take(Blocks& blocks, const std::tuple<Arguments...>& given) noexcept {
    if constexpr (of.buffer >= 0) blocks.buffer = std::get<of.buffer>(given);
    if constexpr (of.count >= 0) blocks.count = std::get<of.count>(given);
    if constexpr (of.type >= 0) blocks.type = std::get<of.type>(given);
    if constexpr (of.types >= 0) blocks.types = std::get<of.types>(given);
    if constexpr (of.counts >= 0) {
      if constexpr (std::is_convertible_v<std::tuple_element_t<of.counts, std::tuple<Arguments...>>, const int*>)
        blocks.counts = std::get<of.counts>(given);
      else
        blocks.wide_counts = std::get<of.counts>(given);
    }
  }

  /// An object, because error handlers of the program may throw.
  class Span {
   public:
    Span(Observer& looks, const Called& called) noexcept : looks_(looks), called_(called), mark_(looks.begins(called)) {}
    ~Span() { looks_.ends(called_, mark_, done); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

    bool done = false;

   private:
    Observer& looks_;
    const Called called_;
    const Observer::Mark mark_;
  };
};

}  // namespace heddle::mpi::timed
