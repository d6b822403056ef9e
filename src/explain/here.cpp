// explain/here.cpp: adds the choices of this process to the lines of a datatype.
#include "explain/here.hpp"

#include <fmt/format.h>

#include "select/far_line.hpp"

namespace heddle::explain {

SchemeChoices scheme_choices(const layout::Layout& layout, Count count, const Here& here) {
  if (!here.running) return {"Heddle is off: the MPI library's own way", {}};
  SchemeChoices schemes = scheme_choices(layout, count, here.at);
  if (!schemes.choices.empty() && !here.on_node)
    return {"Heddle announces no messages here (this rank is alone on its node, or heddle doctor says why): " +
                unannounced(here.at.packs),
            {}};
  if (schemes.choices.empty() && here.on_node && here.in_one_piece && here.moves_pieces)
    schemes.why = "without holes: announced if that is clearly faster than the MPI library's own way (HEDDLE_CONTIGUOUS)";
  return schemes;
}

std::string left_to_host(const Here& here) {
  if (!here.on_node || !here.known || !here.host_packs_while_it_sends || here.at.packs.value_or(true) || here.in_one_piece ||
      here.at.scheme != settings::Scheme::automatic)
    return {};
  return fmt::format(
      "to this rank itself, or non-blocking to a core less than {} ns a line away: the MPI library's own way, which packs "
      "while it sends",
      static_cast<int>(select::far_line));
}

std::string between_nodes(const Here& here) {
  if (!here.running || !here.known || !here.several_nodes) return {};
  const std::string otherwise = unannounced(here.at.packs);
  return here.may_cross ? "between nodes: by the fabric if that pays, otherwise: " + otherwise : "between nodes: " + otherwise;
}

std::vector<std::string> lines(const layout::Layout& layout, Count count, std::string_view type, const Here& here) {
  std::vector<std::string> all = lines(layout, count, type, scheme_choices(layout, count, here));
  for (const std::string& line : {left_to_host(here), between_nodes(here)})
    if (!line.empty()) all.push_back(line);
  return all;
}

}  // namespace heddle::explain
