// mpi/lifecycle/explain.cpp: HEDDLE_EXPLAIN.
#include "explain/lines.hpp"
#include "mpi/lifecycle/lifecycle.hpp"
#include "mpi/lifecycle/meanings.hpp"
#include "mpi/network/network.hpp"
#include "mpi/node/node.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/decode.hpp"
#include "report/explained.hpp"
#include "report/reporting.hpp"
#include "select/left_to_host.hpp"
#include "threads/table.hpp"

namespace heddle::mpi {
namespace {

/// The basic type that all of a datatype is made of, as the grammar has it.
std::string element_of(const Signature& signature) {
  return signature.uniform() ? meanings().datatype(threads::key_of(signature.first)) : "byte";
}

/// As a message from here to a rank of this node.
explain::Way way_of(MPI_Datatype type, const layout::Layout& layout, Count count) {
  if (!running()) return {"Heddle is off: the MPI library's own way", {}};
  Entry* const entry = table.find(type);
  const settings::Settings& set = settings_of_process();
  const Node* const node = Node::here();
  const bool packs = entry && entry->ready(type) && entry->pays_to_pack(count);
  explain::Circumstances at{.profile = node ? &node->profile() : &profile_of_machine().profile,
                            .rendezvous = node ? node->threshold() : set.rendezvous,
                            .scheme = set.scheme,
                            .messages = set.messages,
                            .segment = set.segment,
                            .crowded = node && node->crowded(),
                            .packs = packs};
  explain::Way way = explain::way_of(layout, count, at);
  if (!way.choices.empty() && !node)
    return {"no message is announced here (this rank is alone on its node, or heddle doctor says why): " +
                explain::unannounced(packs),
            {}};
  if (way.choices.empty() && node && entry && entry->contiguous(count) && node->moves_pieces(count * layout.size()))
    way.why = "without holes: announced where that is clearly faster than the MPI library's own way (HEDDLE_CONTIGUOUS)";
  return way;
}

/// Empty: no message of it is left to the host.
std::string left_to_host(MPI_Datatype type, Count count) {
  const Node* const node = Node::here();
  const Entry* const entry = table.find(type);
  if (!node || !entry || !entry->known() || !traits().packs_while_it_sends || entry->pays_to_pack(count) ||
      entry->contiguous(count) || settings_of_process().scheme != settings::Scheme::automatic)
    return {};
  return "to this rank itself, and non-blocking to a core less than " + std::to_string(static_cast<int>(select::near_line)) +
         " ns a line away: the MPI library's own way, which packs while it sends";
}

/// Empty: there is one node.
std::string between_nodes(MPI_Datatype type, Count count) {
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const Node* const node = Node::here();
  const Entry* const entry = table.find(type);
  if (!running() || !entry || !entry->known() || ranks == (node ? node->size() : 1)) return {};
  const std::string otherwise = explain::unannounced(entry->pays_to_pack(count));
  const Network* const network = Network::here();
  if (network && may_cross(*network, *entry, count)) return "between nodes: by the fabric where that pays, else " + otherwise;
  return "between nodes: " + otherwise;
}

class Explaining final : public report::Explained {
 public:
  using Explained::Explained;

 private:
  /// Once for each datatype: as the first message of it that is met.
  void tell(std::uint64_t key, std::int64_t count, const Use& use) override {
    using enum report::Asked::Telling;
    const MPI_Datatype type = datatype_of(key);
    const std::string used = use.label + ": used by " + use.from;
    try {
      const Decoded decoded = decode(type);
      const std::string text = explain::pasteable(decoded.layout, element_of(decoded.signature));
      const auto telling = asked().tell(use.name, text.empty() ? layout::describe(decoded.layout) : text);
      if (telling == too_many) say("HEDDLE_EXPLAIN: more than 100 datatypes; the others are left out.");
      if (telling != first) return;
      say(used.c_str());
      const std::string written = text.empty() ? "too long to be pasted; see canonical" : text;
      for (const std::string& line : explain::lines(decoded.layout, count, written, way_of(type, decoded.layout, count)))
        say((use.label + ": " + line).c_str());
      for (const std::string& line : {left_to_host(type, count), between_nodes(type, count)})
        if (!line.empty()) say((use.label + ": " + line).c_str());
    } catch (const CannotDecode& error) {
      if (asked().tell(use.name, error.what()) != again)
        say((used + "; Heddle leaves it to the MPI library: " + error.what() + ".").c_str());
    }
  }
};

Explaining* explained = nullptr;

}  // namespace

void start_explaining() noexcept try {
  const settings::Settings& set = settings_of_process();
  if (set.explain.empty() || set.doctor || !spokesman()) return;
  explained = new Explaining(set.explain, meanings(), report::observer.load());  // freed by nobody, as the report
  report::handles_remembered.store(true);
  report::observer.store(explained, std::memory_order_release);
} catch (const std::exception&) {
  say("no memory for HEDDLE_EXPLAIN; nothing is explained.");
}

void finish_explaining() noexcept try {
  if (!explained) return;
  report::observer.store(explained->next(), std::memory_order_release);
  if (const std::string missing = explained->missing(); !missing.empty()) say(missing.c_str());
  explained = nullptr;
} catch (const std::exception&) {
  return;
}

}  // namespace heddle::mpi
