// mpi/lifecycle/explain.cpp: HEDDLE_EXPLAIN: rank 0 prints the lines of a datatype when the program
// first uses it.
#include "explain/here.hpp"
#include "mpi/lifecycle/lifecycle.hpp"
#include "mpi/lifecycle/meanings.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/decode.hpp"
#include "report/explained.hpp"
#include "report/reporting.hpp"
#include "threads/handle_table.hpp"

namespace heddle::mpi {
namespace {

/// The basic type that all of a datatype is made of, as the grammar names it. If there is none:
/// byte.
std::string element_of(const Signature& signature) {
  return signature.uniform() ? meanings().datatype(threads::key_of(signature.first)) : "byte";
}

explain::Here here(MPI_Datatype type, const layout::Layout& layout, Count count) {
  if (!running()) return {.running = false};
  Entry* const found = table.find(type);
  const Entry* const entry = found ? found->ready(type) : nullptr;
  const settings::Settings& set = settings_of_process();
  const MpiNode* const node = MpiNode::here();
  const Network* const network = Network::here();
  int ranks = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const bool known = entry != nullptr;
  return {.known = known,
          .in_one_piece = known && entry->contiguous(count),
          .moves_pieces = node && node->moves_pieces(count * layout.size()),
          .on_node = node != nullptr,
          .several_nodes = ranks != (node ? node->size() : 1),
          .may_cross = known && network && may_cross(*network, *entry, count),
          .host_packs_while_it_sends = traits().packs_while_it_sends,
          .at = {.profile = node ? &node->profile() : &profile_of_machine().profile,
                 .rendezvous = node ? node->threshold() : set.rendezvous,
                 .scheme = set.scheme,
                 .messages = set.messages,
                 .transports = set.transports,
                 .segment = set.segment,
                 .crowded = node && node->crowded(),
                 .packs = known && entry->pays_to_pack(count)}};
}

class Explaining final : public report::Explained {
 public:
  using Explained::Explained;

 private:
  /// Tells of each datatype once, with the count of its first message.
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
      for (const std::string& line : explain::lines(decoded.layout, count, written, here(type, decoded.layout, count)))
        say((use.label + ": " + line).c_str());
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
  explained = new Explaining(set.explain, meanings(), report::observer.load());  // never freed, like the report
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
