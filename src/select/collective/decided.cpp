// select/collective/decided.cpp: makes the words, and names the ranks that differ.
#include "select/collective/decided.hpp"

#include <cstdio>
#include <string_view>
#include <vector>

namespace heddle::select {
namespace {

/// The ranks with the same text: "ranks 0, 2 to 7".
std::string ranks_with(std::span<const DecidedText> all, std::size_t first, std::vector<bool>& told) {
  std::string text;
  int many = 0;
  for (std::size_t i = first; i < all.size(); ++i) {
    if (told[i] || all[i] != all[first]) continue;
    std::size_t last = i;
    while (last + 1 < all.size() && all[last + 1] == all[first]) ++last;
    for (std::size_t k = i; k <= last; ++k) told[k] = true;
    if (many > 0) text += ", ";
    text += std::to_string(i);
    if (last > i) text += (last > i + 1 ? " to " : ", ") + std::to_string(last);
    many += static_cast<int>(last - i) + 1;
    i = last;
  }
  return (many > 1 ? "ranks " : "rank ") + text;
}

}  // namespace

DecidedText text_of(const Decided& mine, long number) noexcept {
  DecidedText text{};
  const Candidate& choice = mine.choice;
  std::string_view call = mine.call;
  if (call.ends_with("_c")) call.remove_suffix(2);  // ranks may differ in the suffix
  const std::string_view name = choice.algorithm ? choice.algorithm->name : "the MPI library's";
  int used = std::snprintf(text.data(), text.size(), "%.*s%s (call %ld) by %.*s", static_cast<int>(call.size()), call.data(),
                           mine.in_place ? " in place" : "", number, static_cast<int>(name.size()), name.data());
  if (choice.algorithm && choice.radix != 2)
    used += std::snprintf(text.data() + used, text.size() - static_cast<std::size_t>(used), " of radix %d", choice.radix);
  if (choice.segment > 0)
    std::snprintf(text.data() + used, text.size() - static_cast<std::size_t>(used), " in segments of %ld B",
                  static_cast<long>(choice.segment));
  return text;
}

std::string disagreement(std::span<const DecidedText> all) {
  std::string sentence = "ranks do not agree on a collective (HEDDLE_CHECK):";
  std::vector<bool> told(all.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (!told[i]) sentence += (i > 0 ? "; " : " ") + ranks_with(all, i, told) + ": " + all[i].data();
  return sentence + ". Counts, types or the order of calls do not fit together in the program.";
}

}  // namespace heddle::select
