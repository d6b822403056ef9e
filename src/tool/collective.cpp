// tool/collective.cpp: the algorithm that a collective would take for given volumes, the times of
// the others, and the reason.
//
//   allgatherv: 32k, 63 x 8; 8 nodes              volumes of the ranks, one after the other
//   alltoallv: 26 x 512; 256 ranks, 16 nodes      each rank sends 512 bytes to the 26 nearest ranks
//   alltoallv: 26 x 512; 256 ranks, stride 2      each rank sends to every second of the nearest ranks
//   exchange: 26 x 512; 256 ranks                 as alltoallv, but receivers do not know the senders
//   ...; 16 ranks, 8 ranks a core, mpich          with the times of MPICH's messages, or of Open MPI's (openmpi)
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <numeric>
#include <optional>
#include <stdexcept>

#include "schedule/algorithms.hpp"
#include "select/collective/decide.hpp"
#include "select/collective/estimate.hpp"
#include "select/collective/mailbox_sizes.hpp"
#include "select/collective/volume_shares.hpp"
#include "select/profile_file.hpp"
#include "settings/settings.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using namespace select;

constexpr Count most_ranks = 1 << 20;
constexpr double most_walked = 3e7;  // messages; takes about a second

/// Words and numbers of a description, one after the other.
class Reader {
 public:
  explicit Reader(std::string_view text) : all_(text), rest_(text) {}

  bool take(std::string_view word) {
    skip();
    if (!rest_.starts_with(word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  Count number(Count least, Count greatest) {
    skip();
    Count value = 0;
    const auto [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), value);
    if (error != std::errc() || value < least || value > greatest >> 20) fail(fmt::format("a number from {}", least));
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    value *= take("k") ? 1 << 10 : take("M") ? 1 << 20 : 1;
    if (value > greatest) fail(fmt::format("a number up to {}", greatest));
    return value;
  }
  bool end() {
    skip();
    return rest_.empty();
  }
  [[noreturn]] void fail(const std::string& expected) const {
    throw std::invalid_argument(
        fmt::format("column {}: expected {}. Examples: 'allgatherv: 32k, 63 x 8', 'alltoallv: 26 x 512; 256 ranks'",
                    all_.size() - rest_.size() + 1, expected));
  }

 private:
  void skip() {
    while (!rest_.empty() && rest_.front() == ' ') rest_.remove_prefix(1);
  }
  std::string_view all_, rest_;
};

constexpr Count any = Count{1} << 60;

struct Described {
  std::string_view collective;
  std::vector<Bytes> volumes;  ///< For allgatherv.
  Count partners = 0, bytes = 0;
  Count ranks = 0, nodes = 1, stride = 1, crowding = 1;
  std::string_view host;  ///< mpich, openmpi; empty: any.
};

Described read(const std::string& text) {
  Reader reader(text);
  Described about;
  for (const std::string_view name : {"allgatherv", "alltoallv", "exchange"})
    if (about.collective.empty() && reader.take(name)) about.collective = name;
  if (about.collective.empty()) reader.fail("allgatherv, alltoallv or exchange");
  if (!reader.take(":")) reader.fail("':'");
  const bool gathers = about.collective == "allgatherv";
  do {
    Count first = reader.number(0, any);
    Count count = 1;
    if (reader.take("x")) {
      count = first;
      first = reader.number(0, any);
    }
    if (count < 0 || count + static_cast<Count>(about.volumes.size()) > most_ranks)
      reader.fail(fmt::format("at most {} ranks", most_ranks));
    if (gathers) about.volumes.insert(about.volumes.end(), static_cast<std::size_t>(count), first);
    about.partners = count;
    about.bytes = first;
  } while (gathers && reader.take(","));
  about.ranks = static_cast<Count>(about.volumes.size());

  bool more = reader.take(";");
  while (more) {
    if (reader.take("stride")) {
      about.stride = reader.number(1, any);
    } else if (reader.take("mpich")) {
      about.host = "mpich";
    } else if (reader.take("openmpi")) {
      about.host = "openmpi";
    } else {
      const Count value = reader.number(1, any);
      if (reader.take("ranks a core")) {
        about.crowding = value;
      } else if (reader.take("ranks") && !gathers) {
        about.ranks = value;
      } else if (reader.take("node")) {
        reader.take("s");
        about.nodes = value;
      } else {
        reader.fail(gathers ? "nodes, ranks a core, mpich or openmpi" : "ranks, nodes, ranks a core, mpich or openmpi");
      }
    }
    more = reader.take(",") || reader.take(";");
  }
  if (!reader.end()) reader.fail("the end");
  if (about.ranks < 1 || about.ranks > most_ranks) reader.fail(fmt::format("1 to {} ranks", most_ranks));
  if (about.nodes > about.ranks) reader.fail("at most as many nodes as ranks");
  if (about.partners >= about.ranks && !gathers) reader.fail("fewer partners than ranks");
  return about;
}

/// The costs of the host's messages here, and the source of these figures.
struct Messages {
  Links links = builtin_links;
  std::string source = "built in";
};
Messages messages_of(std::string_view host) {
  if (host.empty()) return {};
  const Loaded& loaded = tool::profile();
  const auto host_of = [&](const Profile& profile) { return host == "mpich" ? profile.mpich : profile.openmpi; };
  const Links links = host_of(loaded.profile);
  return {links, links == host_of(builtin()) ? "built in" : loaded.source};
}

Json told(const Messages& messages, std::string_view host) {
  const Links& links = messages.links;
  const auto link = [](const Link& of) -> Json {
    return {{"one_ns", of.latency}, {"further_ns", of.message}, {"byte_ns", of.byte}};
  };
  return {
      {"of", host.empty() ? "any" : host},      {"source", messages.source},         {"on_node", link(links.node)},
      {"between_nodes", link(links.network)},   {"shared_core_turn_ns", links.turn}, {"shared_core_message_ns", links.shared},
      {"shared_core_bundles_ns", links.regroup}};
}

Where where(const Described& about, const Links& links, Rank members) {
  return {.ranks = static_cast<Rank>(about.ranks),
          .nodes = static_cast<Rank>((about.ranks + members - 1) / members),
          .members = members,
          .crowding = static_cast<double>(about.crowding),
          .mailboxes = mailbox_sizes(members - 1).longest,
          .links = &links};
}

Json load(const Candidate& choice, const Load& of) {
  if (choice.ns == 0) return nullptr;  // no figures
  return {{"rounds", of.rounds}, {"messages", of.messages}, {"bytes", of.bytes}};
}

/// The algorithm that a setting asks for, and the setting.
struct Wanted {
  std::string algorithm;  ///< auto, native, or a name.
  std::string said;       ///< "HEDDLE_ALLTOALLV=crystal"
};
Wanted wanted(std::string_view collective) {
  const settings::Settings set = settings::from_environment();
  if (collective == "exchange") {
    const std::string algorithm = name(set.exchange);
    return {algorithm, "HEDDLE_EXCHANGE=" + algorithm};
  }
  if (set.collectives == settings::Collectives::native) return {"native", "HEDDLE_COLLECTIVES=native"};
  if (collective == "allgatherv") return {set.allgatherv, "HEDDLE_ALLGATHERV=" + set.allgatherv};
  return {set.alltoallv, "HEDDLE_ALLTOALLV=" + set.alltoallv};
}

/// True if two candidates have the same name and digest.
bool same(const Candidate& one, const Candidate& other) {
  return one.algorithm == other.algorithm && other.algorithm && digest(one) == digest(other);
}

/// The candidates by time. A wanted candidate without figures comes last.
template <class Walk>
Json rows(const Candidates& candidates, const Candidate& chosen, const Walk& walk) {
  std::vector<Candidate> sorted(candidates.begin(), candidates.end());
  std::ranges::stable_sort(sorted, {}, &Candidate::ns);
  if (chosen.algorithm && std::ranges::none_of(sorted, [&](const Candidate& choice) { return same(choice, chosen); })) {
    sorted.push_back(chosen);
    sorted.back().ns = 0;
  }
  Json rows = Json::array();
  for (const Candidate& choice : sorted) {
    const std::optional<double> walked = walk(choice);
    rows.push_back({{"name", choice.algorithm->name},
                    {"radix", choice.radix},
                    {"segment", choice.segment},
                    {"chosen", same(choice, chosen)},
                    {"between_nodes", load(choice, choice.network)},
                    {"on_node", load(choice, choice.node)},
                    {"ns", choice.ns == 0 ? Json() : Json(choice.ns)},
                    {"walked_ns", walked ? Json(*walked) : Json(nullptr)}});
  }
  return rows;
}

/// Adds the choice, the reason if it is not the candidate with the least time, and the sentence of
/// the model.
void add_decision(Json& answer, const Decision& decision, const Candidates& candidates, const Wanted& by,
                  const std::string& model) {
  const std::string reason = because(decision, candidates, by.said);
  const bool model_chose = same(decision.choice, quickest(candidates));  // `model` describes this candidate
  answer["chosen"] = decision.choice.algorithm ? Json(decision.choice.algorithm->name) : Json();
  answer["because"] = reason;
  const std::string name(decision.choice.algorithm ? decision.choice.algorithm->name : "the MPI library's own");
  if (decision.reason == Reason::mailboxes)
    answer["why"] = model;  // the sentence has the reason
  else if (model_chose)
    answer["why"] = reason.empty() ? model : model + "; " + reason;
  else
    answer["why"] =
        name + ": " + (reason.empty() ? "no algorithm takes less by the model" : reason) + ". By the model " + model;
}

/// The partners of each rank: every stride-th of the ranks before and behind it.
std::vector<std::vector<Flow>> flows(const Described& about) {
  std::vector<std::vector<Flow>> all(static_cast<std::size_t>(about.ranks));
  for (Count rank = 0; rank < about.ranks; ++rank) {
    for (Count i = 0; i < about.partners; ++i) {
      const Count away = (i / 2 + 1) * (about.stride % about.ranks) * (i % 2 == 0 ? 1 : -1);
      all[static_cast<std::size_t>(rank)].push_back(
          {schedule::around(rank + away, static_cast<Rank>(about.ranks)), about.bytes});
    }
  }
  return all;
}

}  // namespace

Json explain_collective(const std::string& description) {
  const Described about = read(description);
  const auto members = static_cast<Rank>((about.ranks + about.nodes - 1) / about.nodes);
  std::vector<Rank> node(static_cast<std::size_t>(about.ranks));
  for (std::size_t rank = 0; rank < node.size(); ++rank) node[rank] = static_cast<Rank>(rank) / members;
  const schedule::Nodes nodes(node);
  const Messages messages = messages_of(about.host);
  const Where at = where(about, messages.links, members);
  Json answer = {{"input", description},
                 {"collective", about.collective},
                 {"ranks", about.ranks},
                 {"nodes", nodes.count()},
                 {"messages", told(messages, about.host)}};
  const Wanted by = wanted(about.collective);
  const auto walkable = [&](const Candidate& choice) {
    return about.crowding == 1 && choice.algorithm->rounds != nullptr &&
           (choice.node.messages + choice.network.messages + 1) * static_cast<double>(about.ranks) < most_walked;
  };

  if (about.collective == "allgatherv") {
    Spread spread;
    const AllgathervFacts facts{at,
                                spread.of(about.ranks, [&](Rank of) { return about.volumes[static_cast<std::size_t>(of)]; }),
                                about.host == "mpich", about.host == "openmpi"};
    const Candidates candidates = candidates_allgatherv(facts);
    const Decision decision = decide_allgatherv(facts, by.algorithm);
    add_decision(answer, decision, candidates, by, why_allgatherv(facts));
    answer["ways"] = rows(candidates, decision.choice, [&](const Candidate& choice) -> std::optional<double> {
      return walkable(choice) ? std::optional(estimate_allgatherv(choice, facts, about.volumes, &nodes)) : std::nullopt;
    });
    return answer;
  }

  const auto sent = flows(about);
  Share all;
  for (Rank me = 0; me < at.ranks; ++me) {
    Share mine;
    for (const Flow& one : sent[static_cast<std::size_t>(me)]) {
      mine.send(me, one.to, one.bytes, at.ranks, &nodes);
      mine.receive(one.bytes);  // the partner sends as much
    }
    all = joined(all, mine);
  }
  const AlltoallvFacts facts = agreed(all, at);
  const bool known = about.collective == "alltoallv";
  const Candidates candidates = known ? candidates_alltoallv(facts) : candidates_exchange(facts);
  const Decision decision = known ? decide_alltoallv(facts, by.algorithm) : decide_exchange(facts, by.algorithm);
  add_decision(answer, decision, candidates, by, known ? why_alltoallv(facts) : why_exchange(facts));
  answer["ways"] = rows(candidates, decision.choice, [&](const Candidate& choice) -> std::optional<double> {
    return walkable(choice) ? std::optional(estimate_alltoallv(choice, facts, sent, &nodes)) : std::nullopt;
  });
  return answer;
}

}  // namespace heddle::tool
