// report/explained.cpp: looks at the datatypes of a call, and at the place of the call.
#include "report/explained.hpp"

#include <algorithm>

#include "report/reporting.hpp"

namespace heddle::report {

/// Looks at all datatypes of a call whose data moves. Arguments that this rank ignores may have any
/// value, so they are only looked up.
Observer::Mark Explained::begins(const Called& called) noexcept {
  try {
    const std::lock_guard guard(lock_);
    if (called.typed && !called.in_place && !called.no_partner && called.count != 0 && meanings_.is_datatype(called.type))
      look(called, called.type, called.count >= 0 ? called.count : 1);
    const auto [out, in] = called.sent.has_list() || called.received.has_list() ? meanings_.blocks_of(called) : std::pair(0, 0);
    if (!called.no_partner) look_at(called, called.sent, called.pattern == Pattern::scatter, out);
    if (!called.no_source) look_at(called, called.received, called.pattern == Pattern::gather, in);
    look_at_types(called, called.sent, out);
    look_at_types(called, called.received, in);
  } catch (const std::exception&) {  // memory is short: the program continues
  }
  return next_ ? next_->begins(called) : Mark{};
}

/// Of blocks with different counts, the longest counts.
/// @param rooted  Only the root uses these arguments. Other ranks may have no counts.
void Explained::look_at(const Called& called, const Blocks& blocks, bool rooted, int number) {
  if (blocks.in_place || blocks.type == 0) return;
  if (!blocks.has_counts() && blocks.count == 0) return;
  if (rooted ? !meanings_.is_derived(blocks.type) : !meanings_.is_datatype(blocks.type)) return;
  std::int64_t most = blocks.has_counts() ? 0 : blocks.count;
  for (int i = 0; blocks.has_counts() && !rooted && i < number; ++i) most = std::max(most, count_of(blocks, i, meanings_));
  look(called, blocks.type, std::max<std::int64_t>(most, 1));
}

void Explained::look_at_types(const Called& called, const Blocks& blocks, int number) {
  if (blocks.in_place) return;
  for (int i = 0; blocks.types && i < number; ++i) {
    const std::int64_t count = blocks.has_counts() ? count_of(blocks, i, meanings_) : 1;
    if (count == 0) continue;
    if (const std::uint64_t type = meanings_.type_at(blocks.types, i); meanings_.is_datatype(type)) look(called, type, count);
  }
}

void Explained::look(const Called& called, std::uint64_t type, std::int64_t count) {
  const unsigned now = handles_changed.load(std::memory_order_relaxed) + 1;
  if (seen_.size() > most_seen) seen_.clear();
  unsigned& asked = seen_[{called.from, called.procedure, type}];
  if (asked == now) return;
  asked = now;
  const Place& place = place_of_call(called.from);
  const std::string name = meanings_.datatype(type);
  const char* const procedure = meanings_.procedure(called.procedure);
  if (asked_.uses(name, procedure, place))
    tell(type, count, {name, asked_.label(name), std::string(procedure) + " from " + asked_.shown(place)});
}

const Place& Explained::place_of_call(const void* from) {
  const auto [found, added] = places_.try_emplace(from);
  if (added) found->second = place_of(from);
  return found->second;
}

}  // namespace heddle::report
