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
//     static bool is_ignored(const MPI_Status* status) { return status == MPI_STATUS_IGNORE || ... }
//     static constexpr int root = MPI_ROOT, nobody = MPI_PROC_NULL, success = MPI_SUCCESS;
//     static constexpr int any_source = MPI_ANY_SOURCE, any_tag = MPI_ANY_TAG;
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

#include <algorithm>
#include <array>
#include <atomic>
#include <memory>
#include <new>
#include <tuple>
#include <type_traits>

#include "report/called.hpp"
#include "report/calling_place.hpp"
#include "threads/handle_table.hpp"
#include "threads/lock.hpp"

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

/// The positions of the parameters that `Ends` has (ends.hpp); -1: there is no such parameter.
struct EndPositions {
  bool operator==(const EndPositions&) const = default;

  int destination = -1;
  int tag = -1;
  int source = -1;
  int source_tag = -1;
  int begun = -1;
  int started = -1;
  int completed = -1;
  int requests = -1;
  int flag = -1;
  int index = -1;
  int indices = -1;
  int how_many = -1;
  int statuses = -1;
  int made = -1;
  bool probes = false;
  bool made_later = false;
  Completes completes = Completes::none;
  Meets meets = Meets::nobody;
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
  EndPositions ends{};
};

/// Room for requests or statuses of a call. A few need no memory of the heap.
template <class Each>
class Room {
 public:
  /// Null: no memory.
  Each* of(std::int64_t some) noexcept {
    if (some <= static_cast<std::int64_t>(few_.size())) return few_.data();
    heap_.reset(new (std::nothrow) Each[static_cast<std::size_t>(some)]);
    return heap_.get();
  }

 private:
  std::array<Each, 8> few_;  // not initialised
  std::unique_ptr<Each[]> heap_;
};
/// Programs that poll more requests would wait for the numbers.
constexpr std::int64_t most_numbered = 256;
struct NoRoom {};
struct NoNumbers {};

/// A procedure with these parameters and an observer around it.
template <class Constants, int number, Positions at, class... Arguments>
struct Around {
  /// @param from  The return address of the program's call.
  [[gnu::always_inline]] static int call(int (*procedure)(Arguments...), const void* from, Arguments... arguments) {
    Observer* const looks = observer.load(std::memory_order_acquire);
    if (!looks) return procedure(arguments...);
    Span span(*looks, from, arguments...);
    const int result = std::apply(procedure, span.given());
    span.done = result == Constants::success;
    return result;
  }

 private:
  using Given = std::tuple<Arguments...>;
  template <int position>
  using Pointed = std::remove_cv_t<std::remove_pointer_t<std::tuple_element_t<position, Given>>>;

  static Called called(const void* from, const Given& given) noexcept {
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
  static void take(Blocks& blocks, const Given& given) noexcept {
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

  static constexpr bool has_ends = !(at.ends == EndPositions{});
  static constexpr bool has_requests = at.ends.completed >= 0;
  static constexpr bool has_statuses = at.ends.statuses >= 0;
  template <bool has, int position>
  static auto room() {
    if constexpr (has)
      return Room<Pointed<position>>();
    else
      return NoRoom();
  }

  static int source(int given) noexcept {
    return given >= 0 ? given : given == Constants::any_source ? Ends::any : Ends::nobody;
  }
  static int tag(int given) noexcept { return given == Constants::any_tag ? Ends::any : given; }

  static Ends ends(const Given& given) noexcept {
    constexpr EndPositions of = at.ends;
    Ends ends{.of_messages = of.destination >= 0 || of.source >= 0,
              .probes = of.probes,
              .completes = of.completes,
              .meets = of.meets,
              .made_later = of.made_later};
    if constexpr (of.destination >= 0) ends.destination = rank(std::get<of.destination>(given));
    if constexpr (of.tag >= 0) ends.tag = std::get<of.tag>(given);
    if constexpr (of.source >= 0) ends.source = source(std::get<of.source>(given));
    if constexpr (of.source_tag >= 0) ends.source_tag = tag(std::get<of.source_tag>(given));
    if constexpr (of.begun >= 0) ends.begun = std::get<of.begun>(given);
    if constexpr (of.started >= 0) ends.started = std::get<of.started>(given);
    if constexpr (of.requests >= 0) ends.requests = std::get<of.requests>(given);
    if constexpr (of.flag >= 0) ends.flag = std::get<of.flag>(given);
    if constexpr (of.index >= 0) ends.index = std::get<of.index>(given);
    if constexpr (of.indices >= 0) ends.indices = std::get<of.indices>(given);
    if constexpr (of.how_many >= 0) ends.how_many = std::get<of.how_many>(given);
    if constexpr (of.made >= 0) ends.made = std::get<of.made>(given);
    return ends;
  }

  /// The observation of a call. It is an object, because the program's error handlers may throw.
  class Span {
   public:
    Span(Observer& looks, const void* from, Arguments... arguments) noexcept
        : looks_(looks), given_(arguments...), called_(called(from, given_)) {
      if constexpr (has_ends)
        if (looks.follows_messages()) follow();
      mark_ = looks.begins(called_);
    }
    ~Span() { looks_.ends(called_, mark_, done); }
    Span(const Span&) = delete;
    Span& operator=(const Span&) = delete;

    /// The arguments for the procedure.
    [[nodiscard]] const Given& given() const noexcept { return given_; }

    bool done = false;

   private:
    void follow() noexcept {
      called_.ends = ends(given_);
      Ends& of = called_.ends;
      if constexpr (has_requests) {  // the call may replace them by null handles
        const auto* const requests = std::get<at.ends.completed>(given_);
        auto* const before = requests && of.requests > 0 ? requests_.of(of.requests) : nullptr;
        if (!before) return static_cast<void>(of = Ends());
        std::copy_n(requests, of.requests, before);
        of.completed = before;
        if (threads::concurrent.load(std::memory_order_relaxed) && of.requests <= most_numbered)
          if (auto* const numbers = numbers_.of(of.requests)) {
            looks_.number(of, numbers);
            of.numbers = numbers;
          }
      }
      if constexpr (has_statuses) {
        auto& statuses = std::get<at.ends.statuses>(given_);
        const bool needed = has_requests ? looks_.needs_statuses() : of.source == Ends::any || of.source_tag == Ends::any;
        if (needed && Constants::is_ignored(statuses))
          if (auto* const own = statuses_.of(of.requests)) statuses = own;
        of.statuses = Constants::is_ignored(statuses) ? nullptr : statuses;
      }
    }

    Observer& looks_;
    Given given_;
    [[no_unique_address]] decltype(room<has_requests, at.ends.completed>()) requests_;
    [[no_unique_address]] decltype(room<has_statuses, at.ends.statuses>()) statuses_;
    [[no_unique_address]] std::conditional_t<has_requests, Room<std::uint64_t>, NoNumbers> numbers_;
    Called called_;
    Observer::Mark mark_;
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
