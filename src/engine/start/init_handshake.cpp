// engine/start/init_handshake.cpp: joins the words of two ranks, and finds the settings that
// differ.
#include "engine/start/init_handshake.hpp"

#include <algorithm>
#include <bit>
#include <functional>
#include <vector>

namespace heddle::engine {

Handshake::Handshake(unsigned wishes_of_rank, std::span<const std::string_view> values, std::string_view on) noexcept
    : machine(on.empty() ? Digest{} : digest_of(on)), wishes(wishes_of_rank) {
  for (std::size_t i = 0; i < std::min(most, values.size()); ++i) settings[i] = digest_of(values[i]);
}

void Handshake::shares(std::string_view same_terms, const transport::Offer* of_rank_0) noexcept {
  terms = same_terms.empty() ? Digest{} : digest_of(same_terms);
  if (of_rank_0)
    offer = std::bit_cast<decltype(offer)>(*of_rank_0);
  else
    offer.fill(~0U);  // leaves rank 0's as they are
}

std::optional<transport::Offer> Handshake::offered() const noexcept {
  const auto found = std::bit_cast<transport::Offer>(offer);
  if (!same(machine) || !same(terms) || found.process == 0) return {};
  return found;
}

Handshake both(const Handshake& one, const Handshake& other) noexcept {
  using Words = std::array<unsigned, handshake_numbers>;
  auto numbers = std::bit_cast<Words>(one);
  const auto others = std::bit_cast<Words>(other);
  std::ranges::transform(numbers, others, numbers.begin(), std::bit_and());
  return std::bit_cast<Handshake>(numbers);
}

std::string differing(const Handshake& all, std::span<const std::string_view> names) {
  std::vector<std::string_view> differ;
  for (std::size_t i = 0; i < std::min(Handshake::most, names.size()); ++i)
    if (!same(all.settings[i])) differ.push_back(names[i]);
  std::string text;
  for (std::size_t i = 0; i < differ.size(); ++i) {
    if (i > 0) text += i + 1 < differ.size() ? ", " : " and ";
    text += differ[i];
  }
  return text;
}

Granted granted(const Handshake& all, std::span<const std::string_view> names) {
  if ((all.wishes & wish_exchange) == 0) return {.wishes = all.wishes, .complaint = {}};
  const std::string differ = differing(all, names);
  if (differ.empty()) return {.wishes = all.wishes, .complaint = {}};
  const bool several = differ.find(' ') != std::string::npos;
  return {.wishes = all.wishes & ~wish_exchange,
          .complaint = differ + (several ? " are" : " is") + " not the same on all ranks: collectives are left to the MPI " +
                       "library. Set " + (several ? "each" : "it") + " for all, or for none."};
}

std::string not_all_run_heddle(const std::string& why) {
  return "a rank of this job does not run Heddle (" + why +
         "). Start all ranks with `heddle run`, or set HEDDLE=off for all of them; if ranks start that late, set "
         "HEDDLE_PATIENCE to more seconds.";
}

}  // namespace heddle::engine
