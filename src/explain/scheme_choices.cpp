// explain/scheme_choices.cpp: asks select/ once for each kind of memory that a sender may have.
#include "explain/scheme_choices.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "select/forced.hpp"

namespace heddle::explain {
namespace {

Choice in(std::string_view memory, const select::Facts& facts, const Circumstances& at) {
  const std::optional<select::Scheme> scheme = select::forced(at.scheme);
  select::Choice choice = scheme ? select::with(*scheme, facts) : select::choose(facts);
  std::string why = select::why(facts, choice);
  if (scheme) why += fmt::format("; forced by HEDDLE_SCHEME={}", select::name(*scheme));
  if (at.segment > 0) choice.segment = at.segment;
  return {memory, choice, select::costs(facts).of(choice.scheme), why};
}

}  // namespace

std::string unannounced(const std::optional<bool>& packs) {
  if (!packs)
    return "Heddle packs it, unless the MPI library sends it unpacked as fast (HEDDLE_EXPLAIN shows which in the program)";
  return *packs ? "Heddle packs, the MPI library sends" : "the MPI library sends it unpacked, which is as fast";
}

SchemeChoices scheme_choices(const layout::Layout& layout, Count count, const Circumstances& at, const select::Side& receiver) {
  const layout::Placed whole = layout.repeated(count);
  select::Facts facts;
  facts.bytes = whole.node ? whole.node->size : 0;
  if (facts.bytes == 0) return {"no bytes", {}};
  facts.profile = at.profile;
  facts.sender = select::Statistics(layout).of(count);
  facts.receiver = receiver;
  facts.crowded = at.crowded;
  if (facts.sender.contiguous && (!receiver.known || receiver.contiguous))
    return {"without holes: the MPI library's own way", {}};
  if (at.scheme == settings::Scheme::native) return {"HEDDLE_SCHEME=native: " + unannounced(at.packs), {}};
  if (facts.bytes < at.rendezvous)
    return {fmt::format("{} bytes are fewer than HEDDLE_RENDEZVOUS ({}): {}", facts.bytes, at.rendezvous,
                        at.messages == settings::Messages::native ? "HEDDLE_MESSAGES=native leaves them to the MPI library"
                                                                  : unannounced(at.packs)),
            {}};
  SchemeChoices schemes;
  facts.process_vm =
      std::ranges::any_of(transport::transports, [&](const auto& one) { return one.can.copy && at.transports.has(one); });
  schemes.choices.push_back(in("any memory", facts, at));
  facts.mapped = true;
  for (const transport::TransportEntry& one : transport::transports) {
    if (!one.can.map || !at.transports.has(one)) continue;
    facts.preparation = one.preparation(whole.node->high - whole.node->low);
    schemes.choices.push_back(in(one.memory, facts, at));
  }
  return schemes;
}

}  // namespace heddle::explain
