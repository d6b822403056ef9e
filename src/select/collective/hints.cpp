// select/collective/hints.cpp: reads a hint, and makes the complaint about a bad one.
#include "select/collective/hints.hpp"

namespace heddle::select {

void GivenHints::take(std::size_t key, std::string_view text) {
  const auto parsed = hint_keys[key].parse(text);
  const bool nonsense = !parsed.complaint.empty();
  all_[key] = {nonsense ? std::string(text) : parsed.value, nonsense};
}

std::string_view GivenHints::compared(std::size_t key) const {
  if (all_[key].nonsense) return "?";
  return all_[key].word;  // not by a conditional expression, whose value would be a temporary string
}

std::string GivenHints::complaint(std::size_t key, bool same) const {
  const std::string name = hint_keys[key].name;
  if (!same)
    return "the hint " + name + " is not the same on all ranks of a communicator; it is ignored. Give it to all of them.";
  if (all_[key].nonsense)
    return "the hint " + name + "=" + all_[key].word + " is no algorithm; it is ignored. `heddle algorithms` lists them.";
  return {};
}

}  // namespace heddle::select
