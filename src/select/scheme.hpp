// select/scheme.hpp: the ways in which a message with holes moves within a node.
#pragma once

#include <array>
#include <cstdint>

namespace heddle::select {

/// How the segments of a message move, and which side claims them (Wu, Wyckoff, Panda 2004, §3.1
/// and §4.1 to §4.3).
enum class Scheme : std::uint8_t {
  bc_spup,  ///< The sender packs all, the receiver unpacks.
  rwg_up,   ///< The receiver gathers from the sender's blocks into a contiguous buffer, and unpacks.
  p_rrs,    ///< The sender packs (or is contiguous). The receiver reads, and scatters into its blocks.
  multi_w,  ///< The receiver reads from block to block.
  direct,   ///< The receiver moves all from layout to layout, as the sender's buffer is mapped.
  both,     ///< Both claim: the sender packs from the front, the receiver moves from the back.
};

constexpr std::array<Scheme, 6> schemes = {Scheme::bc_spup, Scheme::rwg_up, Scheme::p_rrs,
                                           Scheme::multi_w, Scheme::direct, Scheme::both};

/// The word for HEDDLE_SCHEME: "bc-spup".
constexpr const char* name(Scheme scheme) noexcept {
  switch (scheme) {
    case Scheme::bc_spup:
      return "bc-spup";
    case Scheme::rwg_up:
      return "rwg-up";
    case Scheme::p_rrs:
      return "p-rrs";
    case Scheme::multi_w:
      return "multi-w";
    case Scheme::direct:
      return "direct";
    case Scheme::both:
      return "both";
  }
  return "?";
}

}  // namespace heddle::select
