// tool/way.cpp: which way a message of a datatype takes within a node. The library's own choice (select/), never a copy of it.
#include <fmt/format.h>

#include <iostream>
#include <stdexcept>

#include "layout/grammar.hpp"
#include "select/choose.hpp"
#include "select/profile_file.hpp"
#include "settings/settings.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using layout::Bytes;
using layout::Count;

/// The receiver's side, as many elements as the message fills.
select::Side receiver(const std::string& description, Bytes bytes) {
  const layout::grammar::TypePtr type = layout::grammar::parse(description);
  const Bytes size = type->layout.size();
  if (size == 0 || bytes % size != 0)
    throw std::runtime_error(fmt::format(
        "the message has {} bytes, which is no whole number of the receiver's elements ({} bytes each)", bytes, size));
  return select::Statistics(type->layout).of(bytes / size);
}

Json in(const char* memory, const select::Facts& facts) {
  const select::Choice choice = select::choose(facts);
  return {{"memory", memory},
          {"scheme", select::name(choice.scheme)},
          {"segment", choice.segment},
          {"grace_us", choice.grace / 1000},
          {"us", select::costs(facts).of(choice.scheme) / 1000},
          {"why", select::why(facts, choice)}};
}

}  // namespace

const select::Loaded& profile() {
  static const select::Loaded loaded = [] {
    select::Loaded here = select::load(select::profile_path(settings::from_environment().profile), select::this_machine());
    if (!here.complaint.empty()) std::cerr << "heddle: " << here.complaint << "\n";
    return here;
  }();
  return loaded;
}

Json way(const layout::Layout& layout, Count count, const std::string& to) {
  const settings::Settings set = settings::from_environment();
  const select::Loaded& loaded = profile();

  Json answer = {{"to", to.empty() ? Json() : Json(to)}, {"profile", loaded.source}, {"choices", Json::array()}};
  const layout::Placed whole = layout.repeated(count);
  select::Facts facts;
  facts.bytes = whole.node ? whole.node->size : 0;
  facts.profile = &loaded.profile;
  facts.sender = select::Statistics(layout).of(count);
  if (!to.empty() && facts.bytes > 0) facts.receiver = receiver(to, facts.bytes);
  const bool even = facts.sender.contiguous && (!facts.receiver.known || facts.receiver.contiguous);
  if (facts.bytes == 0 || even) {
    answer["why"] = facts.bytes == 0 ? "no bytes at all" : "without holes: the MPI library's own way";
    return answer;
  }
  if (facts.bytes < set.rendezvous) {
    answer["why"] = fmt::format("{} bytes are fewer than HEDDLE_RENDEZVOUS ({}): packed into what the MPI library sends",
                                facts.bytes, set.rendezvous);
    return answer;
  }
  answer["why"] = "";
  facts.process_vm = true;
  answer["choices"].push_back(in("any memory", facts));
  facts.mapped = true;
  answer["choices"].push_back(in("memory of MPI_Alloc_mem", facts));
  return answer;
}

}  // namespace heddle::tool
