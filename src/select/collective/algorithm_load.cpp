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
  const double choice = load.rounds * std::max(0.0, link.latency - link.message);
  const double others = std::max(0.0, load.messages - load.rounds) * link.message;
  const double waited =
      std::max({0.0, choice - (others + meanwhile) / 2, choice + load.bytes * link.byte - others - meanwhile});
  return std::max(load.messages, load.rounds) * link.message + waited;
}

std::string duration(double ns) { return ns < 1e6 ? fmt::format("{:.1f} us", ns / 1e3) : fmt::format("{:.1f} ms", ns / 1e6); }

std::string size(double bytes) {
  if (bytes < 10e3) return fmt::format("{:.0f} B", bytes);
  return bytes < 10e6 ? fmt::format("{:.0f} kB", bytes / 1e3) : fmt::format("{:.0f} MB", bytes / 1e6);
}

std::string parts(const Candidate& choice) {
  std::string text;
  for (const auto& [load, place] : {std::pair{&choice.network, "between nodes"}, {&choice.node, "on the node"}}) {
    if (load->messages < 0.5 && load->rounds < 0.5) continue;
    if (!text.empty()) text += ", ";
    if (load->rounds > 0) text += fmt::format("{:.0f} round{} with ", load->rounds, load->rounds == 1 ? "" : "s");
    text += fmt::format("{:.0f} message{} and {} {}", load->messages, load->messages == 1 ? "" : "s", size(load->bytes), place);
  }
  return text.empty() ? "nothing to do" : text;
}

}  // namespace

std::string title_of(const Candidate& choice) {
  std::string told(choice.algorithm->name);
  if (choice.radix != 2) told += fmt::format(" of radix {}", choice.radix);
  if (choice.reach > 0) told += fmt::format(" for up to {} ranks away", choice.reach);
  if (choice.stride > 1) told += fmt::format(" in strides of {}", choice.stride);
  if (choice.segment > 0) told += fmt::format(" in segments of {}", size(static_cast<double>(choice.segment)));
  return told;
}

Candidate timed(Candidate choice, const Where& where) noexcept {
  const Links& links = *where.links;
  const double handled = choice.blocks * links.block + choice.copied * links.copy;
  // If there is only one round, messages within the node belong to it.
  const bool one = choice.node.rounds == 0 && choice.network.rounds == 1;
  const double meanwhile = one ? choice.node.messages * links.node.message : 0;
  choice.ns = of_node(choice.node, links.node) + of_network(choice.network, links.network, meanwhile) + handled;
  if (where.crowding > 1) {
    // Ranks that share a core take turns. Their work adds up, and each round waits until all had a
    // turn.
    const double rounds = choice.node.rounds + choice.network.rounds;
    const double messages = choice.node.messages + choice.network.messages;
    const double each = rounds * links.turn + messages * links.shared + choice.regrouped * links.regroup +
                        choice.work * links.node.byte + handled;
    choice.ns = std::max(choice.ns, where.crowding * each);
  }
  return choice;
}

Candidate quickest(const Candidates& candidates) noexcept {
  constexpr double about = 1.04;
  double least = candidates[0].ns;
  for (const Candidate& choice : candidates) least = std::min(least, choice.ns);
  return *std::find_if(candidates.begin(), candidates.end(),
                       [&](const Candidate& choice) { return choice.ns <= about * least; });
}

std::string explain(const Candidates& candidates, const std::string& about, const Where& where) {
  const Candidate best = quickest(candidates);
  std::string text = fmt::format("{}: {}; {}, {}", title_of(best), about, parts(best), duration(best.ns));
  if (where.crowding > 1) text += fmt::format(" with {:.1f} ranks a core", where.crowding);
  const Candidate* next = nullptr;
  for (const Candidate& choice : candidates)
    if (choice.algorithm != best.algorithm && (next == nullptr || choice.ns < next->ns)) next = &choice;
  if (next != nullptr) text += fmt::format("; {} would take {} ({})", title_of(*next), duration(next->ns), parts(*next));
  return text;
}

}  // namespace heddle::select
