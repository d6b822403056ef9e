// mpi/interposition/timed.hpp: a procedure of Heddle's with somebody around it who looks on. Includes host.hpp,
// report/call_site.hpp.
//
// Where a HEDDLE_ variable asks for a report, a trace or explanations when Heddle is loaded, this takes the host's place
// instead of the procedure itself: otherwise nobody pays for it, not even by a branch. It sees calls with HEDDLE=off, too, so
// that before and after can be compared.
//
//   Timed<&MPI_Send, 17, Positions{.buffer = 0, .elements = 1, .count = 1, .type = 2, .peer = 3, .communicator = 5}>::call
#pragma once

#include <atomic>
#include <tuple>
#include <type_traits>

#include "mpi/process/host.hpp"
#include "report/call_site.hpp"

namespace heddle::mpi::interposition {

/// Which parameter of a procedure is what; -1: none is. Made by host_procedures.py.
struct Positions {
  int buffer = -1;                   ///< Of the datatype's data.
  int elements = -1;                 ///< Of one message.
  int count = -1;                    ///< The same, if the call itself sends or receives it.
  int counts = -1;                   ///< The same for each peer.
  int type = -1;                     ///< Of what is sent, or of the only datatype.
  int other = -1;                    ///< The datatype of the other side,
  int other_count = -1;              ///< and how many go into one message.
  int types = -1, other_types = -1;  ///< Those for each peer.
  int peer = -1;                     ///< The rank that it is sent to.
  int communicator = -1;
  bool to_all = false;  ///< `count` elements go to each rank.
  bool rooted = false;  ///< The other side's datatype means something at the root alone.
};

/// A call of the program.
struct Called {
  int procedure;     ///< Its place in procedures().
  const void* from;  ///< The address that it returns to.
  bool typed = false;
  MPI_Datatype type{};
  MPI_Datatype other = MPI_DATATYPE_NULL;  ///< Where it means nothing, it may be anything.
  MPI_Count other_count = -1;
  const MPI_Datatype* types = nullptr;
  const MPI_Datatype* other_types = nullptr;
  MPI_Comm communicator = MPI_COMM_NULL;
  const void* buffer = nullptr;
  MPI_Count elements = -1;
  MPI_Count count = -1;
  const int* counts = nullptr;
  const MPI_Count* wide_counts = nullptr;
  int peer = MPI_PROC_NULL;
  bool to_all = false;
  bool rooted = false;
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
  virtual void ends(const Called& called, const Mark& mark) noexcept = 0;

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
    const Span span(*looks, called(__builtin_return_address(0), std::tuple<Arguments...>(arguments...)));
    return procedure(arguments...);
  }

 private:
  static Called called(const void* from, const std::tuple<Arguments...>& given) noexcept {
    Called call{.procedure = number, .from = from, .to_all = at.to_all, .rooted = at.rooted};
    if constexpr (at.type >= 0) {
      call.typed = true;
      call.type = std::get<at.type>(given);
    }
    if constexpr (at.other >= 0) call.other = std::get<at.other>(given);
    if constexpr (at.other_count >= 0) call.other_count = std::get<at.other_count>(given);
    if constexpr (at.types >= 0) call.types = std::get<at.types>(given);
    if constexpr (at.other_types >= 0) call.other_types = std::get<at.other_types>(given);
    if constexpr (at.communicator >= 0) call.communicator = std::get<at.communicator>(given);
    if constexpr (at.buffer >= 0) call.buffer = std::get<at.buffer>(given);
    if constexpr (at.elements >= 0) call.elements = std::get<at.elements>(given);
    if constexpr (at.count >= 0) call.count = std::get<at.count>(given);
    if constexpr (at.peer >= 0) call.peer = std::get<at.peer>(given);
    if constexpr (at.counts >= 0) {
      if constexpr (std::is_convertible_v<std::tuple_element_t<at.counts, std::tuple<Arguments...>>, const int*>)
        call.counts = std::get<at.counts>(given);
      else
        call.wide_counts = std::get<at.counts>(given);
    }
    return call;
  }

  /// An object, because error handlers of the program may throw.
  class Span {
   public:
    Span(Observer& looks, const Called& called) noexcept : looks_(looks), called_(called), mark_(looks.begins(called)) {}
    ~Span() { looks_.ends(called_, mark_); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

   private:
    Observer& looks_;
    const Called called_;
    const Observer::Mark mark_;
  };
};

}  // namespace heddle::mpi::interposition
