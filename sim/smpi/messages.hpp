// sim/smpi/messages.hpp: carries the engine's messages by SMPI's point-to-point calls. It also adds
// the time that a processor spends on copies: the simulator does not know of them.
//
//   Messages messages(machine);
//   engine::Router router(place, me, options, messages, freight);
//   messages.charge_for(router);      // the router's copies take simulated time before the next message leaves
#pragma once

#include <mpi.h>

#include <unordered_map>
#include <vector>

#include "engine/collective/channel.hpp"
#include "engine/collective/router.hpp"
#include "model/machine.hpp"

namespace heddle::sim {

/// Lets `ns` of simulated time pass for this rank.
void spend(double ns);

/// Tags of messages: the k-th message to a rank has tag k. In SMPI, short and long messages of a
/// pair may overtake each other.
class Numbers {
 public:
  int next(Rank of) { return counts_[of]++; }

 private:
  std::unordered_map<Rank, int> counts_;
};

class Messages final : public engine::Channel {
 public:
  explicit Messages(const Machine& machine) : machine_(machine) {}

  /// From now on, the router's copies take simulated time.
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
  std::size_t here_ = 0;  ///< The first `here_` of receives_ are complete.
  Numbers sent_, asked_;
  std::vector<std::vector<std::byte>> collected_;  ///< Messages of several pieces. A network adapter would gather them.
};

}  // namespace heddle::sim
