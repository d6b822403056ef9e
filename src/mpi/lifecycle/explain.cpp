// mpi/lifecycle/explain.cpp: HEDDLE_EXPLAIN.
#include <map>
#include <mutex>
#include <tuple>

#include "explain/lines.hpp"
#include "interposition/procedures.hpp"
#include "mpi/collectives/peers.hpp"
#include "mpi/lifecycle/names.hpp"
#include "mpi/lifecycle/report.hpp"
#include "mpi/lifecycle/timed.hpp"
#include "mpi/network/network.hpp"
#include "mpi/node/node.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/say.hpp"
#include "mpi/types/decode.hpp"
#include "report/asked.hpp"
#include "report/reporting.hpp"
#include "select/left_to_host.hpp"

namespace heddle::mpi {
namespace {

using timed::Called;
using timed::Observer;

/// The basic type that all of a datatype is made of, as the grammar has it.
std::string element_of(const Signature& signature) { return signature.uniform() ? name_of_datatype(signature.first) : "byte"; }

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

class Explained final : public Observer {
 public:
  Explained(const std::string& names, Observer* next) : asked_(names), next_(next) {}

  Mark begins(const Called& called) noexcept override {
    look(called);
    return next_ ? next_->begins(called) : Mark{};
  }
  void ends(const Called& called, const Mark& mark, bool done) noexcept override {
    if (next_) next_->ends(called, mark, done);
  }
  [[nodiscard]] Observer* next() const { return next_; }

  /// One sentence, if names are left.
  void finish() {
    const std::lock_guard guard(lock_);
    if (const std::string missing = asked_.missing(); !missing.empty()) say(missing.c_str());
  }

 private:
  static constexpr std::size_t most_seen = std::size_t{1} << 16;

  /// All datatypes of a call. What means nothing on this rank may be anything: it is only looked up.
  void look(const Called& called) noexcept try {
    using timed::Pattern;
    const std::lock_guard guard(lock_);
    if (called.typed && called.buffer != MPI_IN_PLACE && means_datatype(called.type))
      look(called, called.type, called.count >= 0 ? called.count : 1);
    look_at(called, called.sent, called.pattern == Pattern::scatter);
    look_at(called, called.received, called.pattern == Pattern::gather);
    if (called.sent.types || called.received.types) look_at_lists(called);
  } catch (const std::exception&) {
    return;  // no memory: the program goes on
  }

  /// @param rooted  They mean something at the root alone.
  void look_at(const Called& called, const timed::Blocks& blocks, bool rooted) {
    if (blocks.buffer == MPI_IN_PLACE || blocks.type == MPI_DATATYPE_NULL) return;
    if (rooted ? table.find(blocks.type) != nullptr : means_datatype(blocks.type))
      look(called, blocks.type, blocks.counts || blocks.wide_counts ? 1 : blocks.count);
  }

  void look_at_lists(const Called& called) {
    int out = 0;
    int in = 0;
    if (called.pattern == timed::Pattern::neighbor_alltoall) {
      const Neighbours peers(called.communicator);
      out = peers.known() ? peers.out() : 0;
      in = peers.known() ? peers.in() : 0;
    } else {
      const Peers peers(called.communicator);
      out = in = peers.known ? peers.ranks : 0;
    }
    const auto look_at = [&](const MPI_Datatype* types, int size) {
      for (int i = 0; types && i < size; ++i)
        if (means_datatype(types[i])) look(called, types[i], 1);
    };
    if (called.sent.buffer != MPI_IN_PLACE) look_at(called.sent.types, out);
    look_at(called.received.types, in);
  }

  void look(const Called& called, MPI_Datatype type, Count count) {
    const unsigned now = report::handles_changed.load(std::memory_order_relaxed) + 1;
    if (seen_.size() > most_seen) seen_.clear();
    unsigned& asked = seen_[{called.from, called.procedure, threads::key_of(type)}];
    if (asked == now) return;
    asked = now;
    const report::Place& place = place_of(called.from);
    const std::string name = name_of_datatype(type);
    if (asked_.uses(name, procedure(called), place)) tell(called, place, type, name, count);
  }

  /// Once for each datatype: as the first message of it that is met.
  void tell(const Called& called, const report::Place& place, MPI_Datatype type, const std::string& name, Count count) {
    using enum report::Asked::Telling;
    const std::string label = asked_.label(name);
    const std::string used = label + ": used by " + procedure(called) + " from " + asked_.shown(place);
    try {
      const Decoded decoded = decode(type);
      const std::string text = explain::pasteable(decoded.layout, element_of(decoded.signature));
      const auto telling = asked_.tell(name, text.empty() ? layout::describe(decoded.layout) : text);
      if (telling == too_many) say("HEDDLE_EXPLAIN: more than 100 datatypes; the others are left out.");
      if (telling != first) return;
      say(used.c_str());
      const std::string written = text.empty() ? "too long to be pasted; see canonical" : text;
      for (const std::string& line : explain::lines(decoded.layout, count, written, way_of(type, decoded.layout, count)))
        say((label + ": " + line).c_str());
      for (const std::string& line : {left_to_host(type, count), between_nodes(type, count)})
        if (!line.empty()) say((label + ": " + line).c_str());
    } catch (const CannotDecode& error) {
      if (asked_.tell(name, error.what()) != again)
        say((used + "; Heddle leaves it to the MPI library: " + error.what() + ".").c_str());
    }
  }

  const report::Place& place_of(const void* from) {
    const auto [found, added] = places_.try_emplace(from);
    if (added) found->second = report::place_of(from);
    return found->second;
  }
  static const char* procedure(const Called& called) {
    return interposition::procedures()[static_cast<std::size_t>(called.procedure)].name;
  }

  std::recursive_mutex lock_;  // freeing what the host hands out may call the program
  report::Asked asked_;
  Observer* next_;
  std::map<std::tuple<const void*, int, std::uint64_t>, unsigned> seen_;  // by which handles_changed
  std::map<const void*, report::Place> places_;
};

Explained* explained = nullptr;

}  // namespace

void start_explaining() noexcept try {
  const settings::Settings& set = settings_of_process();
  if (set.explain.empty() || set.doctor || !spokesman()) return;
  explained = new Explained(set.explain, timed::observer.load());  // freed by nobody, as the report
  report::handles_remembered.store(true);
  timed::observer.store(explained, std::memory_order_release);
} catch (const std::exception&) {
  say("no memory for HEDDLE_EXPLAIN; nothing is explained.");
}

void finish_explaining() noexcept try {
  if (!explained) return;
  timed::observer.store(explained->next(), std::memory_order_release);
  explained->finish();
  explained = nullptr;
} catch (const std::exception&) {
  return;
}

}  // namespace heddle::mpi
