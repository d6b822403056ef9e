// mpi/lifecycle/doctor.cpp: a line for each thing that is or is not in effect.
#include "mpi/lifecycle/doctor.hpp"

#include <exception>
#include <string>
#include <vector>

#include "interposition/interposition.hpp"
#include "interposition/tools.hpp"
#include "mpi/network/network.hpp"
#include "mpi/node/node.hpp"
#include "mpi/node/presence.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/say.hpp"
#include "settings/files.hpp"

namespace heddle::mpi {
namespace {

void good(const char* what, const std::string& seen) { say((std::string("✓ ") + what + ": " + seen).c_str()); }

void poor(const char* what, const std::string& seen, const std::string& mend) {
  say((std::string("! ") + what + ": " + seen + " → " + mend).c_str());
}

constexpr const char* receives = "receives";
constexpr const char* what_heddle_says = "what Heddle says tells why";

void say_who_runs(const char* entry) {
  good(entry, "reached, in " + host_name() + " (" + interposition::host_path() + ")");
  if (running()) return good("Heddle", built_for());
  constexpr const char* straight = ": every call goes straight to the MPI library";
  if (settings_of_process().enabled) return poor("Heddle", std::string("off") + straight, what_heddle_says);
  const auto set = settings::source(environ, settings::files_of(environ), "HEDDLE");
  const bool by_file = set && set->from != settings::environment_itself;
  poor("Heddle", std::string("off (HEDDLE=off") + (by_file ? " in " + set->from : "") + ")" + straight,
       by_file ? "take that line out, or set HEDDLE=on" : "unset HEDDLE");
}

/// Those that the program's calls come to, the nearest to it first.
std::string called_tools(const std::vector<interposition::Tool>& tools) {
  std::string all;
  for (const interposition::Tool& tool : tools)
    if (tool.called > 0) all += (all.empty() ? "" : ", then ") + interposition::text(tool);
  return all;
}

std::string instead_of(const interposition::Tool& tool) {
  return interposition::text(tool) + ": the program is given those of " + tool.behind;
}

constexpr const char* not_called = "not called";
constexpr const char* above = "above Heddle";

void say_tools() {
  const auto tools = interposition::tools();
  const std::string called = called_tools(tools);
  good(above, called.empty() ? "nothing: the program's calls come to Heddle first" : called);
  for (const interposition::Tool& tool : tools)
    if (tool.called == 0)
      poor(not_called, instead_of(tool),
           "the first that is named in LD_PRELOAD, or linked, is called: let that be the one you want");
}

void say_receives(const char* missed) {
  if (missed)
    poor(receives, missed,
         "it could take an announcement for its message, so none is sent; leave it out, or let its receives call PMPI_Recv");
  else
    good(receives, "all come to Heddle, by whatever name");
}

void say_messages(settings::Messages wanted) {
  switch (wanted) {
    case settings::Messages::automatic:
      return good("messages", "those with holes are packed, unless the MPI library is faster");
    case settings::Messages::packed:
      return good("messages", "those with holes are packed (HEDDLE_MESSAGES=packed)");
    case settings::Messages::native:
      return good("messages", "those with holes are left to the MPI library (HEDDLE_MESSAGES=native)");
  }
}

/// Why something is not in effect that the settings ask for.
std::string reason(const Started& started) {
  return started.missed ? "not every receive comes to Heddle" : "not every rank can";
}

void say_node(const Started& started, const settings::Settings& set) {
  constexpr const char* what = "on a node";
  constexpr const char* through_host = "messages go through the MPI library";
  if (!(started.wanted & wish_node)) return good(what, std::string(through_host) + " (HEDDLE_SCHEME=native)");
  if (!(started.all & wish_node)) return poor(what, through_host, reason(started));
  if (!Node::possible()) return poor(what, through_host, what_heddle_says);
  good(what, "messages with holes are announced from " + std::to_string(set.rendezvous) +
                 " bytes on, and move beside the MPI "
                 "library");
}

void say_network(const Started& started, const settings::Settings& set) {
  constexpr const char* what = "between nodes";
  constexpr const char* packed = "messages with holes go packed, through the MPI library";
  const bool carries = (started.wanted & wish_node) && (started.wanted & wish_messages);
  if (!(started.wanted & wish_fabric))
    return good(what, std::string(packed) + (set.fabric == "off" ? " (HEDDLE_FABRIC=off)"
                                             : carries           ? std::string(": ") + Network::no_adapter
                                                                 : ""));
  if (!(started.all & wish_fabric)) return poor(what, packed, reason(started));
  Network* const network = Network::here();
  if (!network) return good(what, "all ranks share a node");
  if (!network->open()) return good(what, packed + std::string(": no fabric (HEDDLE_VERBOSE=1 says why)"));
  const Network::Access fabric(*network);
  const bool measured = network->costs().message_byte > 0;
  good(what, "messages with holes go over libfabric's " + fabric->abilities().provider +
                 (measured ? ", where heddle tune has found that quicker than packing" : ""));
}

void say_collectives(const Started& started) {
  constexpr const char* what = "collectives";
  constexpr const char* through_host = "packed, through the MPI library's";
  if (!(started.wanted & wish_exchange)) return good(what, std::string(through_host) + " (HEDDLE_COLLECTIVES=native)");
  if (!(started.all & wish_exchange)) return poor(what, through_host, reason(started));
  good(what, "alltoalls, allgathers and those of neighbours by Heddle's own schedules, where these are faster");
}

}  // namespace

void say_tools_if_asked() noexcept try {
  if (!verbose() || !spokesman()) return;
  const auto tools = interposition::tools();
  const std::string called = called_tools(tools);
  if (!called.empty()) say((std::string(above) + ": " + called + ".").c_str());
  for (const interposition::Tool& tool : tools)
    if (tool.called == 0) say((std::string(not_called) + ": " + instead_of(tool) + ".").c_str());
} catch (const std::exception& error) {
  say(error.what());
}

void say_findings(const Started& started) noexcept try {
  if (running() && started.missed && !spokesman()) say_receives(started.missed);  // the first rank may have nothing of the kind
  if (!spokesman()) return;
  say_who_runs("MPI_Init");
  if (!running()) return;
  const settings::Settings& set = settings_of_process();
  say_tools();
  say_receives(started.missed);
  say_messages(set.messages);
  say_node(started, set);
  say_network(started, set);
  say_collectives(started);
} catch (const std::exception& error) {
  say(error.what());
}

void say_findings_of_session() noexcept try {
  say_who_runs("MPI_Session_init");
  if (!running()) return;
  say_tools();
  say_messages(settings_of_process().messages);
  good("on a node", "messages go through the MPI library: what ranks share begins in MPI_Init");
  good("collectives", "packed, through the MPI library's");
} catch (const std::exception& error) {
  say(error.what());
}

}  // namespace heddle::mpi
