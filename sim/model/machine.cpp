// sim/model/machine.cpp
#include "model/machine.hpp"

#include <algorithm>
#include <stdexcept>

#include "select/profile_file.hpp"
#include "settings/settings.hpp"

namespace heddle::sim {
namespace {

double number(const Json& text, const char* name) {
  const double value = text.at(name).get<double>();
  if (!(value >= 0)) throw std::invalid_argument(std::string(name) + " is negative");
  return value;
}

Wire wire(const Json& text) {
  return {number(text, "send_ns"), number(text, "receive_ns"), number(text, "latency_ns"), number(text, "byte_ns")};
}

}  // namespace

Machine machine_from(const Json& text) {
  const Json& joined = text.at("joined");
  Machine machine{.name = text.at("name"),
                  .local = wire(text.at("local")),
                  .network = wire(text.at("network")),
                  .eager = text.at("eager_bytes"),
                  .copy = number(text, "copy_ns"),
                  .block = number(text, "block_ns"),
                  .members = text.at("members"),
                  .joined = Network(joined.at("kind").get<std::string>(), joined.at("sizes").get<std::vector<Rank>>())};
  if (machine.members < 1) throw std::invalid_argument("a node has no ranks");
  return machine;
}

Machine machine_of_profile(const std::string& host, Rank members, Rank ranks) {
  const select::Loaded loaded =
      select::load(select::profile_path(settings::from_environment().profile), select::this_machine());
  if (!loaded.complaint.empty()) throw std::invalid_argument(loaded.complaint);
  if (host != "mpich" && host != "openmpi") throw std::invalid_argument("no messages of " + host + " in a profile");
  const select::Links& links = host == "mpich" ? loaded.profile.mpich : loaded.profile.openmpi;
  // The profile has one number for the work of sender and receiver: each gets half. A path has two
  // links: to the switch, and from it.
  const auto wire = [](const select::Link& link, double hops) {
    const double end = std::min(link.message, link.latency) / 2;
    return Wire{end, end, (link.latency - 2 * end) / hops, link.byte};
  };
  return {.name = host + " by " + loaded.source,
          .local = wire(links.node, 1),
          .network = wire(links.network, 2),
          .eager = 8 << 10,
          .copy = loaded.profile.pack.at(256),
          .block = links.block,
          .members = members,
          .joined = Network("switch", {(ranks + members - 1) / members})};
}

select::Links links_of(const Machine& machine, Rank ranks) {
  select::Links links = select::builtin_links;
  const auto link = [](const Wire& wire, double hops) {
    return select::Link{wire.send + hops * wire.latency + wire.receive, wire.send + wire.receive, wire.byte};
  };
  links.node = link(machine.local, 1);
  links.network = link(machine.network, machine.joined.mean_hops(machine.nodes_of(ranks)));
  links.copy = machine.copy;
  links.block = machine.block;
  return links;
}

double shortest(const Machine& machine) { return machine.network.send + machine.network.latency + machine.network.receive; }

}  // namespace heddle::sim
