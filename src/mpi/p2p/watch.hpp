// mpi/p2p/watch.hpp: the last line of defence. A descriptor that is received past Heddle would be taken for data:
// some descriptors are watched until somebody fetches their message, and one that was received and is fetched by nobody ends
// the job with a sentence (docs/safety.md). Includes probe_queue.hpp, engine/rendezvous.hpp.
//
//   sender      Watch::send(...)        by a synchronous send of Heddle's own: it is complete when the descriptor is received
//               Watch::look()           received, and not claimed? Then the receiver is told of the suspicion
//   receiver    Watch::look()           none of its receives is under way, and still not claimed: the job ends
//   both        Watch::end()            in MPI_Finalize, when all receives are complete: the sender sees for itself
//
// Whatever else could keep a receiver from claiming a message makes it uncertain, and nothing is concluded any more: a receive
// that has failed, an error handler of the program, which may throw.
#pragma once

#include "engine/rendezvous.hpp"
#include "engine/watched.hpp"
#include "mpi/node/node.hpp"
#include "mpi/p2p/probe_queue.hpp"
#include "mpi/requests/freed.hpp"

namespace heddle::mpi {

/// By a synchronous send of the host, of a copy.
struct Delivery {
  MPI_Request request;  ///< Null: it is delivered.
  MPI_Comm comm;        ///< On which the request is.
  alignas(16) std::byte bytes[engine::Lengths::longest];
};

class Watch {
 public:
  /// Sends a descriptor of the program's, and watches it, if its turn has come (HEDDLE_WATCH). The host's result, or
  /// nothing: it is to be sent as others are.
  static Done send(const engine::Rendezvous& message, const Envelope& to);
  /// The host has delivered a descriptor by a synchronous send: watches it, if its turn has come.
  static void delivered(const engine::Rendezvous& message) noexcept;

  /// At calls of the program that send or receive. Two loads, if there is nothing to look at.
  static void look() {
    Node* node = Node::here();
    if (node && (watched_.any() || node->unclaimed().any())) look_closer(*node);
  }

  /// Nothing is to be concluded from what this process leaves unclaimed.
  static void uncertain() noexcept {
    if (Node* node = Node::here()) node->unclaimed().set_uncertain();
  }
  /// A call of the host or of Heddle that completes receives has returned `result`.
  static int noted(int result) {
    if (result != MPI_SUCCESS) [[unlikely]]
      uncertain();
    return requests::after_progress(result);
  }

  /// Before a communicator is freed or disconnected: waits until the receivers have its watched descriptors, so that no request
  /// of Heddle's keeps the host from freeing it. False: one of them does not come for a second.
  static bool leaves(MPI_Comm comm) { return !watched_.any() || let_go(comm); }

  /// In MPI_Finalize, collective over MPI_COMM_WORLD where all ranks run Heddle: the messages that were sent to freed receives
  /// arrive. If all ranks have agreed on messages `within_node`, the last look follows.
  /// @param together  The host's MPI_Finalize waits for all ranks. If so, this waits for them, too. Otherwise it concludes
  /// nothing.
  static void end(bool within_node, bool together);

 private:
  static bool let_go(MPI_Comm comm);
  static void look_closer(Node& node);
  static void last_look(Node& node);
  static inline constinit engine::Watched<Delivery> watched_{};
};

}  // namespace heddle::mpi
