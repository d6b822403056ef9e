// explain/way.hpp: which way a message of a datatype takes within a node, and why: the library's own choice (select/), never a
// copy of it. May include: layout/, select/, settings/.
//
//   const Way way = way_of(layout, 1, {.profile = &profile});
//   for (const Choice& one : way.choices) puts(one.why.c_str());        // "bc-spup: 128 blocks of 32 B to ..."
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "layout/layout.hpp"
#include "select/choose.hpp"
#include "settings/settings.hpp"

namespace heddle::explain {

using layout::Bytes;
using layout::Count;

/// What is known of who sends to whom.
struct Circumstances {
  const select::Profile* profile = &select::builtin();
  Bytes rendezvous = settings::Settings{}.rendezvous;           ///< HEDDLE_RENDEZVOUS
  settings::Scheme scheme = settings::Scheme::automatic;        ///< HEDDLE_SCHEME
  settings::Messages messages = settings::Messages::automatic;  ///< HEDDLE_MESSAGES
  Bytes segment = 0;                                            ///< HEDDLE_SEGMENT; 0: auto
  bool crowded = false;                                         ///< More ranks than cores.
  std::optional<bool>
      packs{};  ///< Whether Heddle packs a message that is not announced; none: that depends on the MPI library.
};

/// One for each kind of memory that the sender's buffer may be.
struct Choice {
  const char* memory;
  select::Choice choice;
  double ns;  ///< What it takes by the profile.
  std::string why;
};

struct Way {
  std::string why;  ///< Why there is nothing to choose; empty: there is.
  std::vector<Choice> choices;
};

/// @param receiver  What it is received as, if that is known.
Way way_of(const layout::Layout& layout, Count count, const Circumstances& at, const select::Side& receiver = {});

/// What becomes of a message that is not announced.
std::string unannounced(const std::optional<bool>& packs);

}  // namespace heddle::explain
