// report/timed.hpp: wraps a procedure of MPI so that an observer sees each call. The room that uses
// it hands in MPI's constants.
//
// If a HEDDLE_ variable asks for a report, a trace, a log or explanations when Heddle is loaded,
// the wrapper replaces the host's procedure. Otherwise Heddle's own procedure replaces it, or it
// stays: then calls do not pay even for a branch. The wrapper also sees calls with HEDDLE=off, so
// that users can compare before and after.
//
//   struct Constants {
//     static MPI_Datatype no_type() { return MPI_DATATYPE_NULL; }
//     static MPI_Comm no_communicator() { return MPI_COMM_NULL; }
//     static MPI_Win no_window() { return MPI_WIN_NULL; }
//     static const void* in_place() { return MPI_IN_PLACE; }
//     static constexpr int root = MPI_ROOT, nobody = MPI_PROC_NULL, success = MPI_SUCCESS;
//   };
//   Timed<Constants, &MPI_Send, 17, Positions{.buffer = 0, .count = 1, .type = 2, .peer = 3, .communicator = 5}>::call
//
// OfHost wraps a procedure that Heddle leaves to the host. It has only the procedure's type, not
// its symbol, so the loader looks up no symbol if there is no observer. The code that puts the
// wrapper in place stores the host's procedure in OfHost::host.
//
//   using Barrier = OfHost<Constants, decltype(PMPI_Barrier), 230, Positions{.communicator = 0}>;
//   Barrier::host = address;  Barrier::call
#pragma once

#include <atomic>
#include <tuple>
#include <type_traits>

#include "report/called.hpp"
#include "report/calling_place.hpp"
#include "threads/handle_table.hpp"

namespace heddle::report {

/// The positions of a procedure's parameters for the side that sends or receives; -1: there is no
/// such parameter.
struct BlockPositions {
  int buffer = -1;
  int count = -1;   ///< Count of each block.
  int counts = -1;  ///< Counts, one for each peer.
  int type = -1;
  int types = -1;  ///< Types, one for each peer.
};

/// The positions of a procedure's parameters; -1: there is no such parameter. positions.py makes
/// them.
struct Positions {
  bool carriable = false;  ///< Heddle may carry out calls.
  int buffer = -1;         ///< Buffer of the datatype's data.
  int count = -1;          ///< Number of elements, or of requests that are started.
  int type = -1;           ///< Datatype of the sent data, or the only datatype.
  int peer = -1;           ///< Destination rank.
  int source = -1;         ///< Source rank.
  int communicator = -1;
  int window = -1;
  int root = -1;
  int request = -1;  ///< The new persistent request, or the requests that are started.
  Pattern pattern = Pattern::none;
  BlockPositions sent{};
  BlockPositions received{};
  bool later = false;  ///< The call itself moves no data: each start of its request does.
};

/// A procedure with these parameters and an observer around it.
template <class Constants, int number, Positions at, class... Arguments>
struct Around {
  /// @param from  The return address of the program's call.
  [[gnu::always_inline]] static int call(int (*procedure)(Arguments...), const void* from, Arguments... arguments) {
    Observer* const looks = observer.load(std::memory_order_acquire);
    if (!looks) return procedure(arguments...);
    Span span(*looks, from, std::tuple<Arguments...>(arguments...));
    const int result = procedure(arguments...);
    span.done = result == Constants::success;
    return result;
  }

 private:
  static Called called(const void* from, const std::tuple<Arguments...>& given) noexcept {
    Called call{
        .procedure = number, .from = calling_place(from), .carriable = at.carriable, .pattern = at.pattern, .later = at.later};
    if constexpr (at.type >= 0) {
      call.typed = true;
      call.type = threads::key_of(std::get<at.type>(given), Constants::no_type());
    }
    if constexpr (at.communicator >= 0)
      call.communicator = threads::key_of(std::get<at.communicator>(given), Constants::no_communicator());
    if constexpr (at.communicator < 0 && at.window >= 0) {
      call.communicator = threads::key_of(std::get<at.window>(given), Constants::no_window());
      call.windowed = true;
    }
    if constexpr (at.buffer >= 0) call.in_place = std::get<at.buffer>(given) == Constants::in_place();
    if constexpr (at.count >= 0) call.count = std::get<at.count>(given);
    if constexpr (at.peer >= 0) call.peer = rank(std::get<at.peer>(given));
    if constexpr (at.source >= 0) call.no_source = std::get<at.source>(given) == Constants::nobody;
    // MPI_Sendrecv has a datatype of its own for the received data, MPI_Sendrecv_replace has not.
    if constexpr (at.peer >= 0 || (at.source >= 0 && at.received.type < 0))
      call.no_partner =
          (at.peer < 0 || call.peer == Called::nobody) && (at.source < 0 || at.received.type >= 0 || call.no_source);
    if constexpr (at.root >= 0) call.root = rank(std::get<at.root>(given));
    if constexpr (at.request >= 0) call.requests = std::get<at.request>(given);
    take<at.sent>(call.sent, given);
    take<at.received>(call.received, given);
    return call;
  }
  static int rank(int given) noexcept {
    return given >= 0 ? given : given == Constants::root ? Called::itself : Called::nobody;
  }
  template <BlockPositions of>
  static void take(Blocks& blocks, const std::tuple<Arguments...>& given) noexcept {
    if constexpr (of.buffer >= 0) blocks.in_place = std::get<of.buffer>(given) == Constants::in_place();
    if constexpr (of.count >= 0) blocks.count = std::get<of.count>(given);
    if constexpr (of.type >= 0) blocks.type = threads::key_of(std::get<of.type>(given), Constants::no_type());
    if constexpr (of.types >= 0) blocks.types = std::get<of.types>(given);
    if constexpr (of.counts >= 0) {
      if constexpr (std::is_convertible_v<std::tuple_element_t<of.counts, std::tuple<Arguments...>>, const int*>)
        blocks.counts = std::get<of.counts>(given);
      else
        blocks.wide_counts = std::get<of.counts>(given);
    }
  }

  /// This is an object, because the program's error handlers may throw.
  class Span {
   public:
    Span(Observer& looks, const void* from, const std::tuple<Arguments...>& given) noexcept
        : looks_(looks), called_(called(from, given)), mark_(looks.begins(called_)) {}
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

template <class Constants, auto procedure, int number, Positions at>
struct Timed;

template <class Constants, class... Arguments, int (*procedure)(Arguments...), int number, Positions at>
struct Timed<Constants, procedure, number, at> {
  static int call(Arguments... arguments) {
    return Around<Constants, number, at, Arguments...>::call(procedure, __builtin_return_address(0), arguments...);
  }
};

template <class Constants, class Function, int number, Positions at>
struct OfHost;

template <class Constants, class... Arguments, int number, Positions at>
struct OfHost<Constants, int(Arguments...), number, at> {
  static inline constinit void* host = nullptr;
  static int call(Arguments... arguments) {
    return Around<Constants, number, at, Arguments...>::call(reinterpret_cast<int (*)(Arguments...)>(host),
                                                             __builtin_return_address(0), arguments...);
  }
};

}  // namespace heddle::report
