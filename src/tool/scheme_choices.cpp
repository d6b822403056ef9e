// tool/scheme_choices.cpp: the schemes of a message of a datatype within a node, as JSON
// (explain/scheme_choices.hpp).
#include "explain/scheme_choices.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "layout/grammar.hpp"
#include "settings/settings.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using layout::Bytes;
using layout::Count;

/// The receiver's side, with as many elements as the message fills.
select::Side receiver(const std::string& description, Bytes bytes) {
  const layout::grammar::TypePtr type = layout::grammar::parse(description);
  const Bytes size = type->layout.size();
  if (size == 0 || bytes % size != 0)
    throw std::runtime_error(fmt::format(
        "the message has {} bytes, which is no whole number of the receiver's elements ({} bytes each)", bytes, size));
  return select::Statistics(type->layout).of(bytes / size);
}

}  // namespace

explain::SchemeChoices schemes(const layout::Layout& layout, Count count, const std::string& to) {
  const settings::Settings set = settings::from_environment();
  const explain::Circumstances at{.profile = &profile().profile,
                                  .rendezvous = set.rendezvous,
                                  .scheme = set.scheme,
                                  .messages = set.messages,
                                  .transports = set.transports,
                                  .segment = set.segment};
  const layout::Placed whole = layout.repeated(count);
  const Bytes bytes = whole.node ? whole.node->size : 0;
  return explain::scheme_choices(layout, count, at, !to.empty() && bytes > 0 ? receiver(to, bytes) : select::Side());
}

Json told(const explain::SchemeChoices& schemes, const std::string& to) {
  Json choices = Json::array();
  for (const explain::Choice& one : schemes.choices)
    choices.push_back({{"memory", one.memory},
                       {"scheme", select::name(one.choice.scheme)},
                       {"segment", one.choice.segment},
                       {"grace_us", one.choice.grace / 1000},
                       {"us", one.ns / 1000},
                       {"why", one.why}});
  return {{"to", to.empty() ? Json() : Json(to)}, {"profile", profile().source}, {"choices", choices}, {"why", schemes.why}};
}

}  // namespace heddle::tool
