// sim/estimate/traffic.hpp: computes the arrival times of messages that share the links of a
// network.
//
//   traffic.begin();                             // begins a round
//   traffic.load(from, to, bytes, start);        // first for all messages of the round
//   traffic.arrival({from, to, bytes, start})    // then for each message: when does it arrive?
//
// A message takes at least the latency of its route and the time of its bytes on one link. A link
// carries all messages of a round, and each of them waits until the link has carried all. The links
// of a route work at the same time, so the fullest link counts. Messages within a node do not wait.
#pragma once

#include <algorithm>
#include <vector>

#include "model/machine.hpp"

namespace heddle::sim {

/// The rank as an index into a vector.
inline std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }

class Traffic {
 public:
  explicit Traffic(const Machine& machine) : machine_(machine), links_(machine.joined.links()) {}

  struct Message {
    Rank from, to;
    double bytes;
    double start;  ///< The message leaves at this time, ns.
  };

  void begin();
  void load(Rank from, Rank to, double bytes, double start);
  double arrival(const Message& message);

  [[nodiscard]] const Wire& wire(Rank from, Rank to) const noexcept {
    return machine_.node_of(from) == machine_.node_of(to) ? machine_.local : machine_.network;
  }
  [[nodiscard]] bool eager(double bytes) const noexcept { return bytes < static_cast<double>(machine_.eager); }

 private:
  void take_route(Rank from, Rank to);
  void put_down();

  struct Link {
    double load = 0;   ///< Bytes of this round.
    double first = 0;  ///< Time when the first of them leave.
    double free = 0;   ///< Time when the link has carried the bytes of earlier rounds.

    [[nodiscard]] double done(double byte) const noexcept { return std::max(free, first) + load * byte; }
  };

  const Machine& machine_;
  std::vector<Link> links_;
  // The last route is kept: neighbouring ranks are often on one node, and so are their partners.
  Rank from_ = -1, to_ = -1;
  std::vector<std::size_t> route_;
  double pending_ = 0;  ///< Bytes not yet added to the links of the route.
  double first_ = 0;    ///< Time when the first of these bytes leave.
  double latest_ = -1;  ///< Time when the last link of the route has carried all its bytes; negative: not computed.
};

}  // namespace heddle::sim
