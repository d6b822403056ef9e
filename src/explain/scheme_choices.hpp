// explain/scheme_choices.hpp: the schemes for a message of a datatype within a node, and the
// reason. The choice is the library's own (select/), not a copy.
//
//   const SchemeChoices schemes = scheme_choices(layout, 1, {.profile = &profile});
//   for (const Choice& one : schemes.choices) puts(one.why.c_str());        // "bc-spup: 128 blocks of 32 B to ..."
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "layout/layout.hpp"
#include "select/choose_message.hpp"
#include "settings/settings.hpp"
#include "transport/transport_table.hpp"

namespace heddle::explain {

using layout::Bytes;
using layout::Count;

/// The known facts about sender and receiver.
struct Circumstances {
  const select::Profile* profile = &select::builtin();
  Bytes rendezvous = settings::Settings{}.rendezvous;           ///< HEDDLE_RENDEZVOUS
  settings::Scheme scheme = settings::Scheme::automatic;        ///< HEDDLE_SCHEME
  settings::Messages messages = settings::Messages::automatic;  ///< HEDDLE_MESSAGES
  transport::TransportSet transports{};                         ///< HEDDLE_TRANSPORTS
  Bytes segment = 0;                                            ///< HEDDLE_SEGMENT; 0: auto
  bool crowded = false;                                         ///< More ranks than cores.
  std::optional<bool> packs{};  ///< True if Heddle packs messages that are not announced. Empty: it depends on the MPI library.
};

/// The choice for one kind of memory of the sender's buffer.
struct Choice {
  std::string_view memory;
  select::Choice choice;
  double ns;  ///< The time by the profile.
  std::string why;
};

struct SchemeChoices {
  std::string why;  ///< The reason why there is no choice. Empty: there are choices.
  std::vector<Choice> choices;
};

/// @param receiver  The receiver's datatype, if it is known.
SchemeChoices scheme_choices(const layout::Layout& layout, Count count, const Circumstances& at,
                             const select::Side& receiver = {});

/// The protocol of a message that is not announced.
std::string unannounced(const std::optional<bool>& packs);

}  // namespace heddle::explain
