// mpi/lifecycle/doctor.cpp: collects the facts from which explain/findings.hpp makes sentences.
#include "mpi/lifecycle/lifecycle.hpp"

#include <exception>
#include <string>

#include "explain/findings.hpp"
#include "interposition/interposition.hpp"
#include "interposition/tools.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/node/job_agreement.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/process/process.hpp"
#include "settings/files.hpp"

namespace heddle::mpi {
namespace {

using explain::Effect;

void say_all(const std::vector<std::string>& lines) {
  for (const std::string& line : lines) say(line.c_str());
}

/// The tools that the program's calls reach, the nearest to the program first, and the other tools.
explain::Tools tools_above() {
  explain::Tools above;
  for (const interposition::Tool& tool : interposition::tools()) {
    const std::string text = interposition::text(tool);
    if (tool.called > 0)
      above.called += (above.called.empty() ? "" : ", then ") + text;
    else
      above.not_called.push_back(text + ": the program is given those of " + tool.behind);
  }
  return above;
}

Effect effect(const StartOutcome& started, unsigned wish) {
  if (!(started.wanted & wish)) return Effect::unwanted;
  return started.all & wish ? Effect::in_effect : Effect::not_every_rank;
}

explain::BetweenNodes between_nodes(const StartOutcome& started, const settings::Settings& set) {
  explain::BetweenNodes found{.effect = effect(started, wish_fabric)};
  const bool carries = (started.wanted & wish_node) && (started.wanted & wish_messages);
  if (set.fabric == "off")
    found.why_unwanted = " (HEDDLE_FABRIC=off)";
  else if (carries)
    found.why_unwanted = std::string(": ") + Network::no_adapter;
  if (found.effect != Effect::in_effect) return found;
  Network* const network = Network::here();
  found.one_node = !network;
  if (!network || !network->open()) return found;
  const Network::Access fabric(*network);
  found.provider = fabric->abilities().provider;
  found.measured = network->costs().message_byte > 0;
  return found;
}

/// The findings of this process alone.
explain::Findings findings(const char* entry) {
  const settings::Settings& set = settings_of_process();
  explain::Findings found{.entry = entry,
                          .library = host_name() + " (" + interposition::host_path() + ")",
                          .running = running(),
                          .enabled = set.enabled};
  const auto off = settings::source(environ, settings::files_of(environ), "HEDDLE");
  if (off && off->from != settings::environment_itself) found.off_by = off->from;
  if (!found.running) return found;
  found.built_for = built_for();
  found.tools = tools_above();
  found.messages = set.messages;
  return found;
}

}  // namespace

void say_tools_if_asked() noexcept try {
  if (report::verbose && spokesman()) say_all(explain::sentences(tools_above()));
} catch (const std::exception& error) {
  say(error.what());
}

void say_findings(const StartOutcome& started) noexcept try {
  // Rank 0 may have missed nothing, so other ranks say this themselves.
  if (running() && started.missed && !spokesman()) say(explain::receives(started.missed).c_str());
  if (!spokesman()) return;
  explain::Findings found = findings("MPI_Init");
  if (found.running) {
    const settings::Settings& set = settings_of_process();
    found.missed = started.missed;
    found.node = effect(started, wish_node);
    if (found.node == Effect::in_effect && !MpiNode::possible()) found.node = Effect::impossible;
    found.rendezvous = set.rendezvous;
    found.between_nodes = between_nodes(started, set);
    found.collectives = effect(started, wish_exchange);
  }
  say_all(explain::lines(found));
} catch (const std::exception& error) {
  say(error.what());
}

void say_findings_of_session() noexcept try {
  explain::Findings found = findings("MPI_Session_init");
  found.shares = false;
  say_all(explain::lines(found));
} catch (const std::exception& error) {
  say(error.what());
}

}  // namespace heddle::mpi
