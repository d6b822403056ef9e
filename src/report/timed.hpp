// report/timed.hpp: a procedure of MPI's with somebody around it who looks on. MPI's constants are
// handed in.
//
// Where a HEDDLE_ variable asks for a report, a trace or explanations when Heddle is loaded, this takes the host's place
// instead of the procedure itself: otherwise nobody pays for it, not even by a branch. It sees calls with HEDDLE=off, too, so
// that before and after can be compared.
//
//   struct Constants {
//     static MPI_Datatype no_type() { return MPI_DATATYPE_NULL; }
//     static MPI_Comm no_communicator() { return MPI_COMM_NULL; }
//     static const void* in_place() { return MPI_IN_PLACE; }
//     static constexpr int root = MPI_ROOT, success = MPI_SUCCESS;
//   };
//   Timed<Constants, &MPI_Send, 17, Positions{.buffer = 0, .count = 1, .type = 2, .peer = 3, .communicator = 5}>::call
#pragma once

#include <atomic>
#include <tuple>
#include <type_traits>

#include "report/called.hpp"
#include "threads/table.hpp"

namespace heddle::report {

/// Which parameter of a procedure is what, on the side that sends or that receives; -1: none is.
struct BlockPositions {
  int buffer = -1;
  int count = -1;   ///< Of each block.
  int counts = -1;  ///< The same for each peer.
  int type = -1;
  int types = -1;  ///< The same for each peer.
};

/// Which parameter of a procedure is what; -1: none is. Made by positions.py.
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

template <class Constants, auto procedure, int number, Positions at>
struct Timed;

template <class Constants, class... Arguments, int (*procedure)(Arguments...), int number, Positions at>
struct Timed<Constants, procedure, number, at> {
  static int call(Arguments... arguments) {
    Observer* const looks = observer.load(std::memory_order_acquire);
    if (!looks) return procedure(arguments...);
    Span span(*looks, called(__builtin_return_address(0), std::tuple<Arguments...>(arguments...)));
    const int result = procedure(arguments...);
    span.done = result == Constants::success;
    return result;
  }

 private:
  static Called called(const void* from, const std::tuple<Arguments...>& given) noexcept {
    Called call{.procedure = number, .from = from, .pattern = at.pattern, .later = at.later};
    if constexpr (at.type >= 0) {
      call.typed = true;
      call.type = threads::key_of(std::get<at.type>(given), Constants::no_type());
    }
    if constexpr (at.communicator >= 0)
      call.communicator = threads::key_of(std::get<at.communicator>(given), Constants::no_communicator());
    if constexpr (at.buffer >= 0) call.in_place = std::get<at.buffer>(given) == Constants::in_place();
    if constexpr (at.count >= 0) call.count = std::get<at.count>(given);
    if constexpr (at.peer >= 0) call.peer = rank(std::get<at.peer>(given));
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

}  // namespace heddle::report
