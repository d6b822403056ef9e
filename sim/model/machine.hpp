// sim/model/machine.hpp: describes a machine in numbers: the costs of messages and copies, and the
// network between its nodes.
//
//   const Machine machine = machine_from(Json::parse(text));       // python/heddle/simulated/machines.py writes the text
//   machine.node_of(rank);
//   const select::Links links = links_of(machine, ranks);
//   choose_alltoallv({... .links = &links});                       // Heddle's choice on that machine
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

/// The parameters of LogGP (Alexandrov et al. 1995), in ns: o of the sender, o of the receiver, L,
/// G.
struct Wire {
  double send = 0;     ///< Processor time to send a message.
  double receive = 0;  ///< Processor time to receive an eager message.
  double latency = 0;  ///< Latency of each link.
  double byte = 0;     ///< Time of a byte on each link.
};

struct Machine {
  std::string name;
  Wire local;      ///< Between ranks of a node. Messages do not wait for each other.
  Wire network;    ///< Between nodes. Messages share links.
  Bytes eager;     ///< Shorter messages are eager: they do not wait for a posted receive.
  double copy;     ///< Time to copy a byte, ns.
  double block;    ///< Time to put a packet into a bundle (to write, read and sort its heading), ns.
  Rank members;    ///< Ranks of a node.
  Network joined;  ///< The network between the nodes.

  [[nodiscard]] Rank node_of(Rank rank) const noexcept { return rank / members; }
  [[nodiscard]] Rank nodes_of(Rank ranks) const noexcept { return (ranks + members - 1) / members; }
};

/// Reads a machine. Throws std::invalid_argument or nlohmann::json::exception.
Machine machine_from(const Json& text);

/// Describes a machine like this one, from its profile (select/profile.hpp). @param host is "mpich"
/// or "openmpi". Each node has `members` ranks and a link to one switch.
Machine machine_of_profile(const std::string& host, Rank members, Rank ranks);

/// The costs that Heddle uses to choose algorithms for `ranks` ranks on that machine.
select::Links links_of(const Machine& machine, Rank ranks);

/// The time of an empty message to the nearest node, ns.
double shortest(const Machine& machine);

}  // namespace heddle::sim
