// sim/estimate/traffic.hpp: when messages arrive that are under way at the same time. May include: model/.
//
//   traffic.begin();                                    // a round
//   traffic.load(from, to, bytes);                      // each of its messages, first of all
//   traffic.arrival({from, to, bytes, start, share})    // then of each, when it is there
//
// A message takes the latency of its route and its bytes' time on a link, or longer. A link carries all messages of a round. A
// sender's last message waits for all of them, the k-th of its n messages for k/n of them. The links of a route work at the
// same time, so the fullest counts. Within a node there is no waiting.
#pragma once

#include <algorithm>
#include <vector>

#include "model/machine.hpp"

namespace heddle::sim {

/// The type of the numbers that are kept for each rank.
inline std::size_t index(Rank rank) { return static_cast<std::size_t>(rank); }

class Traffic {
 public:
  explicit Traffic(const Machine& machine) : machine_(machine), links_(machine.joined.links()) {}

  struct Message {
    Rank from, to;
    double bytes;
    double start;  ///< It leaves then, ns.
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
    double load = 0;   ///< Bytes that the round brings.
    double first = 0;  ///< The first of them leave then.
    double free = 0;   ///< It is done with what came before.

    [[nodiscard]] double done(double byte) const noexcept { return std::max(free, first) + load * byte; }
  };

  const Machine& machine_;
  std::vector<Link> links_;
  // The last route: neighbours in rank are often of one node, and so are those whom they talk to.
  Rank from_ = -1, to_ = -1;
  std::vector<std::size_t> route_;
  double pending_ = 0;  ///< Bytes to be added to its links.
  double first_ = 0;    ///< And the first of these leave then.
  double latest_ = -1;  ///< The time at which its links are done; negative: not computed.
};

}  // namespace heddle::sim
