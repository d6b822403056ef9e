// engine/exchange/kinds.hpp: the kinds of collectives. A kind is about all ranks or about the
// neighbours in a topology, and makes blocks from the arguments.
//
//   struct OfHost {                                             // facts about the library
//     using Ruler = engine::Ruler<MPI_Datatype, look>;
//     static bool in_place(const void* address) noexcept;       // it is MPI_IN_PLACE
//     static bool one_node() noexcept;                          // all ranks of the program are on one node, and know that
//   };
//   using All = engine::Kinds<OfHost>::All;
//   if (All::ours(send, receive) && All::of(own) && All::fill(own, send, receive, exchange)) ...
//
// `own` describes the communicator: me(), ranks(), algorithms(), and the edges in() and out() if
// has_neighbours().
#pragma once

#include <type_traits>

#include "engine/collective/trials.hpp"
#include "engine/exchange/blocks.hpp"

namespace heddle::engine {

template <class Host>
struct Kinds {
  using Measure = typename Host::Ruler;
  using Data = Buffer<typename Measure::Type>;
  using VData = VArgument<typename Measure::Type>;

  /// A collective is Heddle's, unless ours(arguments) or of(communicator) is false. All ranks know
  /// this.
  struct Always {
    template <class Given, class Wanted>
    static bool ours(const Given& /*send*/, const Wanted& /*receive*/) noexcept {
      return true;
    }
    template <class Own>
    static bool of(const Own& /*own*/) noexcept {
      return true;
    }
  };
  struct Ranks : Always {
    static constexpr bool neighbours = false, gathers = false, in_place = false;
    template <class Own>
    static int sends(const Own& own) noexcept {
      return own.ranks();
    }
    template <class Own>
    static int receives(const Own& own) noexcept {
      return own.ranks();
    }
  };
  struct Edges : Always {
    static constexpr bool neighbours = true, gathers = false, in_place = false;
    template <class Own>
    static bool of(const Own& own) noexcept {
      return own.has_neighbours();
    }
    template <class Own>
    static int sends(const Own& own) noexcept {
      return static_cast<int>(own.out().size());
    }
    template <class Own>
    static int receives(const Own& own) noexcept {
      return static_cast<int>(own.in().size());
    }
  };

  struct All : Ranks {
    /// Blocks of MPI_Alltoall of at least so many bytes go directly. Hosts bundle shorter ones. The
    /// size is the same on all ranks.
    static constexpr layout::Bytes direct_from = 4 << 10;

    template <class Given>
    static bool ours(const Given& send, const Given& receive) noexcept {
      if (Host::in_place(send.address)) return false;
      if constexpr (std::is_same_v<Given, Data>) {
        Measure ruler;
        Measures type;
        layout::Bytes bytes = 0;
        return receive.count > 0 && ruler.measure(receive.type, type) &&
               !__builtin_mul_overflow(receive.count, type.size, &bytes) && bytes >= direct_from;
      }
      return true;
    }
    template <class Own>
    static bool of(const Own& own) noexcept {
      return own.algorithms().alltoallv() != "native";
    }
    template <class Own, class Given, class Exchange>
    static bool fill(const Own& own, const Given& send, const Given& receive, Exchange& exchange) noexcept {
      return to_all<Measure>(own.me(), own.ranks(), send, receive, exchange);
    }
  };

  struct Neighbours : Edges {
    template <class Own, class Given, class Exchange>
    static bool fill(const Own& own, const Given& send, const Given& receive, Exchange& exchange) noexcept {
      return to_neighbours<Measure>(own.out(), own.in(), send, receive, exchange);
    }
  };

  /// All, with MPI_IN_PLACE. This rank's own block stays as it is.
  struct InPlace : Ranks {
    static constexpr bool in_place = true;

    template <class Given>
    static bool ours(const Given& given, const Given& /*the same*/) noexcept {
      return All::ours(given, given);
    }
    template <class Own>
    static bool of(const Own& own) noexcept {
      return All::of(own);
    }
    /// The caller still has to pack the sends aside.
    template <class Own, class Given, class Exchange>
    static bool fill(const Own& own, const Given& given, const Given& /*the same*/, Exchange& exchange) noexcept {
      return to_all_in_place<Measure>(own.me(), own.ranks(), given, exchange);
    }
  };

  /// MPI_Neighbor_allgather, MPI_Neighbor_allgatherv: each edge out takes the same block.
  struct GatherNeighbours : Edges {
    static constexpr bool gathers = true;
    template <class Own, class Given, class Exchange>
    static bool fill(const Own& own, const Data& send, const Given& receive, Exchange& exchange) noexcept {
      return gather_to_neighbours<Measure>(own.out(), own.in(), send, receive, exchange);
    }
  };

  /// MPI_Iallgatherv and MPI_Allgatherv_init on one node. Each receiver fetches an announced block
  /// from the sender's memory for itself. All messages can be posted at once, as a non-blocking
  /// call needs. A schedule, in which ranks hand on blocks that have come to them, would stand
  /// still while the program is in a call of the host's. Other ranks may be waiting for the program
  /// there.
  struct GatherAll : Ranks {
    static constexpr bool gathers = true;
    /// Bytes of all blocks. Below, only the latency of messages counts.
    static constexpr layout::Bytes direct_from = 64 << 10;

    template <class Own>
    static bool of(const Own& /*own*/) noexcept {
      return Host::one_node();
    }
    /// All ranks get the same answer, because they know the same counts.
    template <class Own>
    static bool worth(const Own& own, const Data& /*send*/, const VData& receive) noexcept {
      layout::Bytes all = 0;
      return !bytes_of_all<Measure>(receive, own.ranks(), all) || all >= direct_from;
    }
    template <class Own, class Exchange>
    static bool fill(const Own& own, const Data& send, const VData& receive, Exchange& exchange) noexcept {
      return gather_to_all<Measure>(own.me(), own.ranks(), Host::in_place(send.address), send, receive, exchange);
    }
  };

  /// The blocking MPI_Allgatherv. way_of_gather() tells whether it is Heddle's (choice.hpp).
  struct GatherOnce : Ranks {
    static constexpr bool gathers = true;
  };
};

// The name that trials have for a collective with such arguments.

template <class Type>
constexpr TrialKind::Call call_of_all(const Buffer<Type>& /*receive*/) {
  return TrialKind::Call::alltoall;
}
template <class Type>
constexpr TrialKind::Call call_of_all(const VArgument<Type>& /*receive*/) {
  return TrialKind::Call::alltoallv;
}
template <class Type>
constexpr TrialKind::Call call_of_all(const WArgument<Type>& /*receive*/) {
  return TrialKind::Call::alltoallw;
}
template <class Type>
constexpr TrialKind::Call call_of_neighbours(const Buffer<Type>& /*receive*/, bool gathers) {
  return gathers ? TrialKind::Call::neighbor_allgather : TrialKind::Call::neighbor_alltoall;
}
template <class Type>
constexpr TrialKind::Call call_of_neighbours(const VArgument<Type>& /*receive*/, bool gathers) {
  return gathers ? TrialKind::Call::neighbor_allgatherv : TrialKind::Call::neighbor_alltoallv;
}
template <class Type>
constexpr TrialKind::Call call_of_neighbours(const WArgument<Type>& /*receive*/, bool /*gathers*/) {
  return TrialKind::Call::neighbor_alltoallw;
}

}  // namespace heddle::engine
