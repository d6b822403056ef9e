// explain/here.hpp: a datatype of a running program (HEDDLE_EXPLAIN): the protocols and schemes of
// its messages from this rank, within the node and between nodes.
//
//   const Here here{.known = true, .on_node = true, .at = {.profile = &profile, .packs = true}};
//   for (const std::string& line : lines(layout, 1, text, here)) say(line.c_str());
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/datatype_lines.hpp"
#include "explain/scheme_choices.hpp"

namespace heddle::explain {

/// The facts that this process knows about elements of a datatype, and about the other ranks.
struct Here {
  bool running = true;                     ///< Heddle is on.
  bool known = false;                      ///< Heddle knows the datatype.
  bool in_one_piece = false;               ///< The elements have no holes.
  bool moves_pieces = false;               ///< Pieces of this length may be announced.
  bool on_node = false;                    ///< Messages may be announced to other ranks of the node.
  bool several_nodes = false;              ///< Other nodes have ranks, too.
  bool may_cross = false;                  ///< The fabric may carry messages to other nodes.
  bool host_packs_while_it_sends = false;  ///< The MPI library packs while it sends.
  Circumstances at{};
};

/// The schemes of a message from here to a rank of this node.
SchemeChoices scheme_choices(const layout::Layout& layout, Count count, const Here& here);

/// The messages that are left to a library that packs while it sends; empty: none.
std::string left_to_host(const Here& here);

/// The protocol of a message to another node; empty: there is one node.
std::string between_nodes(const Here& here);

/// All lines about the datatype. @param type  As for lines() of datatype_lines.hpp.
std::vector<std::string> lines(const layout::Layout& layout, Count count, std::string_view type, const Here& here);

}  // namespace heddle::explain
