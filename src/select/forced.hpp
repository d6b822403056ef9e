// select/forced.hpp: the scheme that a setting names.
//
//   const std::optional<Scheme> scheme = forced(set.scheme);
//   const Choice choice = scheme ? with(*scheme, facts) : choose(facts);
#pragma once

#include <optional>

#include "select/scheme.hpp"
#include "settings/settings.hpp"

namespace heddle::select {

/// HEDDLE_SCHEME, if it names one: auto and native do not.
constexpr std::optional<Scheme> forced(settings::Scheme wanted) noexcept {
  switch (wanted) {
    case settings::Scheme::bc_spup:
      return Scheme::bc_spup;
    case settings::Scheme::rwg_up:
      return Scheme::rwg_up;
    case settings::Scheme::p_rrs:
      return Scheme::p_rrs;
    case settings::Scheme::multi_w:
      return Scheme::multi_w;
    case settings::Scheme::direct:
      return Scheme::direct;
    case settings::Scheme::both:
      return Scheme::both;
    case settings::Scheme::automatic:
    case settings::Scheme::native:
      break;
  }
  return std::nullopt;
}

}  // namespace heddle::select
