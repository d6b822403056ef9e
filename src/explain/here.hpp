// explain/here.hpp: a datatype as a running program uses it (HEDDLE_EXPLAIN): what becomes of messages of it from this rank,
// within the node and between nodes. May include: lines.hpp, way.hpp.
//
//   const Here here{.known = true, .on_node = true, .at = {.profile = &profile, .packs = true}};
//   for (const std::string& line : lines(layout, 1, text, here)) say(line.c_str());
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "explain/lines.hpp"
#include "explain/way.hpp"

namespace heddle::explain {

/// What this process knows of so many elements of a datatype, and of the ranks around it.
struct Here {
  bool running = true;                     ///< Heddle is on.
  bool known = false;                      ///< It knows the datatype.
  bool in_one_piece = false;               ///< They have no holes.
  bool moves_pieces = false;               ///< Pieces of that length may be announced.
  bool on_node = false;                    ///< Messages may be announced to other ranks of the node.
  bool several_nodes = false;              ///< There are ranks on others.
  bool may_cross = false;                  ///< The fabric may take them there.
  bool host_packs_while_it_sends = false;  ///< The MPI library packs while it sends.
  Circumstances at{};
};

/// As a message from here to a rank of this node.
Way way_of(const layout::Layout& layout, Count count, const Here& here);

/// Which messages of it are left to a library that packs while it sends; empty: none.
std::string left_to_host(const Here& here);

/// Empty: there is one node.
std::string between_nodes(const Here& here);

/// All that is to be said. @param type  As for lines() of lines.hpp.
std::vector<std::string> lines(const layout::Layout& layout, Count count, std::string_view type, const Here& here);

}  // namespace heddle::explain
