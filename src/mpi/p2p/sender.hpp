// mpi/p2p/sender.hpp: finds the sender of a received message by status and communicator.
//
//   const Sender from(comm);                                 // or of a Hold
//   const int peer = from.peer(node, status.MPI_SOURCE);     // rank of the node
#pragma once

#include "engine/node/arrival.hpp"
#include "engine/node/rendezvous.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/node/mpi_node.hpp"

namespace heddle::mpi {

using engine::Probes;

/// It must not outlive the Hold that it is made of.
class Sender {
 public:
  /// `comm` is MPI_COMM_NULL for a matched message, whose communicator is not known.
  /// @param probes  None: the communicator is Heddle's own.
  explicit Sender(MPI_Comm comm, Probes probes = Probes::possible) noexcept : comm_(comm), probes_(probes) {}
  explicit Sender(const communicators::Hold& hold, Probes probes = Probes::possible) noexcept
      : comm_(hold.handle()), hold_(&hold), probes_(probes) {}

  /// A rank of the node, or `unknown` or `elsewhere` of engine::Receipt.
  [[nodiscard]] int peer(const MpiNode& node, int source) const {
    if (comm_ == MPI_COMM_NULL) return engine::Receipt::unknown;
    const int world = hold_ ? hold_->world_rank(source) : communicators::world_rank(comm_, source);
    const int peer = node.peer(world);
    return peer >= 0 ? peer : engine::Receipt::elsewhere;
  }
  [[nodiscard]] bool own() const noexcept { return probes_ == Probes::none; }

 private:
  MPI_Comm comm_;
  const communicators::Hold* hold_ = nullptr;
  Probes probes_;
};

}  // namespace heddle::mpi
