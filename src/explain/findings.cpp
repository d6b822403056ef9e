// explain/findings.cpp: a line for each part of Heddle.
#include "explain/findings.hpp"

namespace heddle::explain {
namespace {

constexpr const char* not_called = "not called";
constexpr const char* above = "above Heddle";
constexpr const char* through_host = "messages go through the MPI library";
constexpr const char* heddle_says = "Heddle's other messages say why";

std::string good(const std::string& what, const std::string& seen) { return "✓ " + what + ": " + seen; }
std::string poor(const std::string& what, const std::string& seen, const std::string& mend) {
  return "! " + what + ": " + seen + " → " + mend;
}

std::string heddle(const Findings& found) {
  if (found.running) return good("Heddle", found.built_for);
  const std::string straight = ": every call goes straight to the MPI library";
  if (found.enabled) return poor("Heddle", "off" + straight, heddle_says);
  const bool by_file = !found.off_by.empty();
  return poor("Heddle", "off (HEDDLE=off" + (by_file ? " in " + found.off_by : "") + ")" + straight,
              by_file ? "delete that line, or set HEDDLE=on" : "unset HEDDLE");
}

std::string messages(settings::Messages wanted) {
  switch (wanted) {
    case settings::Messages::packed:
      return good("messages", "Heddle packs messages with holes (HEDDLE_MESSAGES=packed)");
    case settings::Messages::native:
      return good("messages", "messages with holes are left to the MPI library (HEDDLE_MESSAGES=native)");
    case settings::Messages::automatic:
      break;
  }
  return good("messages", "Heddle packs messages with holes, unless the MPI library is faster");
}

/// The reason why a feature that the settings ask for is not in effect.
std::string reason(const Findings& found) { return found.missed ? "not every receive reaches Heddle" : "not every rank can"; }

std::string on_a_node(const Findings& found) {
  const std::string what = "on a node";
  if (!found.shares) return good(what, std::string(through_host) + ": ranks begin to share memory in MPI_Init");
  switch (found.node) {
    case Effect::unwanted:
      return good(what, std::string(through_host) + " (HEDDLE_SCHEME=native)");
    case Effect::not_every_rank:
      return poor(what, through_host, reason(found));
    case Effect::impossible:
      return poor(what, through_host, heddle_says);
    case Effect::in_effect:
      break;
  }
  return good(what, "messages with holes are announced from " + std::to_string(found.rendezvous) +
                        " bytes on, and moved by Heddle itself");
}

std::string between_nodes(const Findings& found) {
  const std::string what = "between nodes";
  const std::string packed = "messages with holes go packed, through the MPI library";
  const BetweenNodes& there = found.between_nodes;
  if (there.effect == Effect::unwanted) return good(what, packed + there.why_unwanted);
  if (there.effect == Effect::not_every_rank) return poor(what, packed, reason(found));
  if (there.one_node) return good(what, "all ranks share a node");
  if (there.provider.empty()) return good(what, packed + ": no fabric (HEDDLE_VERBOSE=1 says why)");
  return good(what, "messages with holes go over libfabric's " + there.provider +
                        (there.measured ? ", if heddle tune has measured that this is faster than packing" : ""));
}

std::string collectives(const Findings& found) {
  const std::string what = "collectives";
  const std::string packed = "Heddle packs around the MPI library's own algorithms";
  if (!found.shares) return good(what, packed);
  if (found.collectives == Effect::unwanted) return good(what, packed + " (HEDDLE_COLLECTIVES=native)");
  if (found.collectives == Effect::not_every_rank) return poor(what, packed, reason(found));
  return good(what, "alltoalls, allgathers and neighbour collectives go by Heddle's own schedules if these are faster");
}

}  // namespace

std::string receives(const char* missed) {
  const std::string what = "receives";
  if (!missed) return good(what, "all reach Heddle, under any name");
  return poor(what, missed,
              "it could mistake an announcement for its message, so Heddle sends none; leave it out, or let its receives call "
              "PMPI_Recv");
}

std::vector<std::string> sentences(const Tools& tools) {
  std::vector<std::string> all;
  if (!tools.called.empty()) all.push_back(std::string(above) + ": " + tools.called + ".");
  for (const std::string& each : tools.not_called) all.push_back(std::string(not_called) + ": " + each + ".");
  return all;
}

std::vector<std::string> lines(const Findings& found) {
  std::vector<std::string> all = {good(found.entry, "reached, in " + found.library), heddle(found)};
  if (!found.running) return all;
  const std::string& called = found.tools.called;
  all.push_back(good(above, called.empty() ? "nothing: the program's calls reach Heddle first" : called));
  for (const std::string& each : found.tools.not_called)
    all.push_back(
        poor(not_called, each, "only the first tool in LD_PRELOAD, or linked, is called: put the tool that you want first"));
  if (found.shares) all.push_back(receives(found.missed));
  all.push_back(messages(found.messages));
  all.push_back(on_a_node(found));
  if (found.shares) all.push_back(between_nodes(found));
  all.push_back(collectives(found));
  return all;
}

}  // namespace heddle::explain
