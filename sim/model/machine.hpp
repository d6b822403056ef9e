// sim/model/machine.hpp: a machine that does not stand here, in numbers: what messages and copies take on it, and how its
// nodes are joined. May include: network.hpp, select/.
//
//   const Machine machine = machine_from(Json::parse(text));      // python/heddle/simulated/machines.py writes such texts
//   machine.node_of(rank);
//   choose_alltoallv({... .links = &links_of(machine, ranks)});          // as Heddle would choose on it
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "model/network.hpp"
#include "schedule/schedule.hpp"
#include "select/collective/links.hpp"

namespace heddle::sim {

using Json = nlohmann::ordered_json;
using schedule::Bytes;
using schedule::Count;
using schedule::Rank;

/// After LogGP (Alexandrov et al. 1995): o of the sender, o of the receiver, L, G. ns.
struct Wire {
  double send = 0;     ///< A processor's time for each message it sends.
  double receive = 0;  ///< And for each eager message that arrives.
  double latency = 0;  ///< Latency of each link of the network.
  double byte = 0;     ///< ns of a byte on each link of the network.
};

struct Machine {
  std::string name;
  Wire local;      ///< Between ranks of a node, with any number of messages at a time.
  Wire network;    ///< Between nodes. Messages share links.
  Bytes eager;     ///< Shorter messages travel whether or not a receive has been posted.
  double copy;     ///< A byte from memory to memory.
  double block;    ///< A packet that is put into a bundle: its heading is written, read and sorted.
  Rank members;    ///< Ranks of a node.
  Network joined;  ///< The nodes.

  [[nodiscard]] Rank node_of(Rank rank) const noexcept { return rank / members; }
  [[nodiscard]] Rank nodes_of(Rank ranks) const noexcept { return (ranks + members - 1) / members; }
};

/// std::invalid_argument, nlohmann::json::exception.
Machine machine_from(const Json& text);

/// A machine like this one, by a profile (select/profile.hpp): messages of "mpich" or "openmpi", nodes of so many ranks, which
/// all have a link to one switch.
Machine machine_of_profile(const std::string& host, Rank members, Rank ranks);

/// By which Heddle's choices go with so many ranks.
select::Links links_of(const Machine& machine, Rank ranks);

/// A message of a byte to the nearest node.
double shortest(const Machine& machine);

}  // namespace heddle::sim
