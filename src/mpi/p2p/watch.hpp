// mpi/p2p/watch.hpp: the last line of defence. If the program received a descriptor past Heddle, it
// would take it for data. So Heddle watches some descriptors until their messages are fetched. If a
// descriptor was received but its message is never fetched, the job ends with a message
// (docs/safety.md).
//
//   sender      Watch::send(...)        by a synchronous send of Heddle's own: it is complete when the descriptor is received
//               Watch::look()           received, and not claimed? Then the receiver is told of the suspicion
//   receiver    Watch::look()           none of its receives is under way, and still not claimed: the job ends
//   both        Watch::end()            in MPI_Finalize, when all receives are complete: the sender sees for itself
//
// A failed receive may also keep a receiver from claiming a message, and so may an error handler of
// the program, which may throw. These make the receiver uncertain, and nothing is concluded any
// more.
#pragma once

#include "engine/node/rendezvous.hpp"
#include "engine/node/watched.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/p2p/host_probe.hpp"
#include "mpi/requests/freed.hpp"

namespace heddle::mpi {

/// The host's synchronous send of a descriptor's copy.
struct Delivery {
  MPI_Request request;  ///< Null: it is delivered.
  MPI_Comm comm;        ///< The communicator of the request.
  alignas(16) std::byte bytes[engine::Lengths::longest];
};

class Watch {
 public:
  /// If the turn of a descriptor has come (HEDDLE_WATCH), sends it and watches it. Returns the
  /// host's result. Nothing: it is not watched, and the caller sends it.
  static Done send(const engine::Rendezvous& message, const Envelope& to);
  /// The host has delivered a descriptor by a synchronous send: watches it, if its turn has come.
  static void delivered(const engine::Rendezvous& message) noexcept;

  /// Called by calls of the program that send or receive. Costs two loads if there is nothing to
  /// look at.
  static void look() {
    if (sees()) look_closer(*MpiNode::here());
  }
  /// True: there is something to look at.
  static bool sees() noexcept {
    MpiNode* const node = MpiNode::here();
    return node && (watched_.any() || node->unclaimed().any());
  }

  /// From here on, nothing is concluded from messages that this process leaves unclaimed.
  static void uncertain() noexcept {
    if (MpiNode* node = MpiNode::here()) node->unclaimed().set_uncertain();
  }
  /// A call of the host or of Heddle that completes receives has returned `result`.
  [[gnu::hot]] static int noted(int result) {
    if (result != MPI_SUCCESS) [[unlikely]]
      uncertain();
    return requests::after_progress(result);
  }

  /// Before a communicator is freed or disconnected. Waits until the receivers have its watched
  /// descriptors, so that no request of Heddle keeps the host from freeing the communicator. False:
  /// a receiver has not come for a second.
  static bool leaves(MPI_Comm comm) { return !watched_.any() || let_go(comm); }

  /// Called in MPI_Finalize if all ranks run Heddle. Collective over MPI_COMM_WORLD. Messages to
  /// freed receives arrive here. If all ranks have agreed on messages `within_node`, the last look
  /// follows.
  /// @param together  The host's MPI_Finalize waits for all ranks. If so, this waits for them, too.
  /// Otherwise it concludes nothing.
  static void end(bool within_node, bool together);
  /// Waits in MPI_Finalize until all ranks of `comm` are there. Gives the core away meanwhile.
  static void meet(MPI_Comm comm);

 private:
  static bool let_go(MPI_Comm comm);
  static void look_closer(MpiNode& node);
  static void last_look(MpiNode& node);
  static inline constinit engine::Watched<Delivery> watched_{};
};

}  // namespace heddle::mpi
