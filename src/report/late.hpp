// report/late.hpp: the time that a rank waited for another one (late_ranks.hpp).
#pragma once

#include <array>
#include <cstdint>

#include "report/call_site.hpp"

namespace heddle::report {

enum class Cause : std::uint8_t {
  late_sender,    ///< The sender began to send after the receiver had begun to wait.
  late_receiver,  ///< The receiver began to receive after the sender had begun to wait.
  collective,     ///< A rank came to the collective later.
};
constexpr std::array cause_names = {"late sender", "late receiver", "collective"};

/// The time that calls of a site waited for a rank.
struct Late {
  const CallSite* site;
  Cause cause;
  int rank;
  double ns;
};

}  // namespace heddle::report
