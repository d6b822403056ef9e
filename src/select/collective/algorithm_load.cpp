// select/collective/algorithm_load.cpp: converts a load into ns, and into words.
#include "select/collective/algorithm_load.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace heddle::select {
namespace {

double of_node(const Load& load, const Link& link) noexcept {
  return load.rounds * link.latency + std::max(0.0, load.messages - load.rounds) * link.message + load.bytes * link.byte;
}

/// An adapter sends while processors work on the next message. So a rank waits for the latency of
/// only the last message of a round, and not while it receives others. Receiving is half of a
/// message's work.
/// @param meanwhile  ns of other messages in the same rounds.
double of_network(const Load& load, const Link& link, double meanwhile) noexcept {
  if (load.stream) return of_node(load, link);
  const double way = load.rounds * std::max(0.0, link.latency - link.message);
  const double others = std::max(0.0, load.messages - load.rounds) * link.message;
  const double waited = std::max({0.0, way - (others + meanwhile) / 2, way + load.bytes * link.byte - others - meanwhile});
  return std::max(load.messages, load.rounds) * link.message + waited;
}

std::string duration(double ns) { return ns < 1e6 ? fmt::format("{:.1f} us", ns / 1e3) : fmt::format("{:.1f} ms", ns / 1e6); }

std::string size(double bytes) {
  if (bytes < 10e3) return fmt::format("{:.0f} B", bytes);
  return bytes < 10e6 ? fmt::format("{:.0f} kB", bytes / 1e3) : fmt::format("{:.0f} MB", bytes / 1e6);
}

std::string parts(const Way& way) {
  std::string text;
  for (const auto& [load, place] : {std::pair{&way.network, "between nodes"}, {&way.node, "on the node"}}) {
    if (load->messages < 0.5 && load->rounds < 0.5) continue;
    if (!text.empty()) text += ", ";
    if (load->rounds > 0) text += fmt::format("{:.0f} round{} with ", load->rounds, load->rounds == 1 ? "" : "s");
    text += fmt::format("{:.0f} message{} and {} {}", load->messages, load->messages == 1 ? "" : "s", size(load->bytes), place);
  }
  return text.empty() ? "nothing to do" : text;
}

}  // namespace

std::string title_of(const Way& way) {
  std::string told(way.algorithm->name);
  if (way.radix != 2) told += fmt::format(" of radix {}", way.radix);
  if (way.reach > 0) told += fmt::format(" for up to {} ranks away", way.reach);
  if (way.stride > 1) told += fmt::format(" in strides of {}", way.stride);
  if (way.segment > 0) told += fmt::format(" in segments of {}", size(static_cast<double>(way.segment)));
  return told;
}

Way timed(Way way, const Where& where) noexcept {
  const Links& links = *where.links;
  const double handled = way.blocks * links.block + way.copied * links.copy;
  // If there is only one round, messages within the node belong to it.
  const bool one = way.node.rounds == 0 && way.network.rounds == 1;
  const double meanwhile = one ? way.node.messages * links.node.message : 0;
  way.ns = of_node(way.node, links.node) + of_network(way.network, links.network, meanwhile) + handled;
  if (where.crowding > 1) {
    // Ranks that share a core take turns. Their work adds up, and each round waits until all had a
    // turn.
    const double rounds = way.node.rounds + way.network.rounds;
    const double messages = way.node.messages + way.network.messages;
    const double each =
        rounds * links.turn + messages * links.shared + way.regrouped * links.regroup + way.work * links.node.byte + handled;
    way.ns = std::max(way.ns, where.crowding * each);
  }
  return way;
}

Way quickest(const Ways& ways) noexcept {
  constexpr double about = 1.04;
  double least = ways[0].ns;
  for (const Way& way : ways) least = std::min(least, way.ns);
  return *std::find_if(ways.begin(), ways.end(), [&](const Way& way) { return way.ns <= about * least; });
}

std::string explain(const Ways& ways, const std::string& about, const Where& where) {
  const Way best = quickest(ways);
  std::string text = fmt::format("{}: {}; {}, {}", title_of(best), about, parts(best), duration(best.ns));
  if (where.crowding > 1) text += fmt::format(" with {:.1f} ranks a core", where.crowding);
  const Way* next = nullptr;
  for (const Way& way : ways)
    if (way.algorithm != best.algorithm && (next == nullptr || way.ns < next->ns)) next = &way;
  if (next != nullptr) text += fmt::format("; {} would take {} ({})", title_of(*next), duration(next->ns), parts(*next));
  return text;
}

}  // namespace heddle::select
