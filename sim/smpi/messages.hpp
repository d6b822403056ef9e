// sim/smpi/messages.hpp: what carries the engine's messages in a simulation: MPI point-to-point of SimGrid's SMPI, and the time
// that a processor spends on copying, of which a simulator knows nothing by itself. May include: engine/, model/.
//
//   Messages messages(machine);
//   engine::Router router(place, me, options, messages, freight);
//   messages.charge_for(router);            // what the router copies takes simulated time, before the next message leaves
#pragma once

#include <mpi.h>

#include <unordered_map>
#include <vector>

#include "engine/channel.hpp"
#include "engine/router.hpp"
#include "model/machine.hpp"

namespace heddle::sim {

/// Simulated time passes for this rank.
void spend(double ns);

/// SMPI keeps short and long messages of a pair apart, so that one may overtake the other: the k-th to a rank bears the number
/// k.
class Numbers {
 public:
  int next(Rank of) { return counts_[of]++; }

 private:
  std::unordered_map<Rank, int> counts_;
};

class Messages final : public engine::Channel {
 public:
  explicit Messages(const Machine& machine) : machine_(machine) {}

  /// From now on, copies are charged.
  void charge_for(const engine::Router& router) { router_ = &router; }

  void send(Rank to, std::span<const engine::Piece> pieces) noexcept override;
  Ticket receive(Rank from, std::byte* at, Bytes room) noexcept override;
  bool received(Ticket ticket, bool wait) noexcept override;
  bool finished(bool wait) noexcept override;

 private:
  void charge();

  const Machine& machine_;
  const engine::Router* router_ = nullptr;
  engine::Router::Tally charged_;
  std::vector<MPI_Request> sends_, receives_;
  std::size_t here_ = 0;  ///< The number of receives_, from the first on, that are complete.
  Numbers sent_, asked_;
  std::vector<std::vector<std::byte>> collected_;  ///< Messages of several pieces, as an adapter would gather them.
};

}  // namespace heddle::sim
