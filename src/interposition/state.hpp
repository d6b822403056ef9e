// interposition/state.hpp: what was found and done when this library was loaded. Includes interposition.hpp.
#pragma once

#include <string>
#include <unordered_map>

#include "interposition/interposition.hpp"

namespace heddle::interposition {

/// Defined by objects whose PMPI_ names stay the host's.
constexpr const char* marker = "heddle_pmpi_is_host";

/// A procedure under one of its names.
struct Place {
  void* host;
  void* ours;
};

struct State {
  Taken taken = Taken::no_host;
  std::string path;  ///< Of the host.
  std::unordered_map<std::string, Place> places;

  [[nodiscard]] const Place* find(const char* name) const {
    const auto found = places.find(name);
    return found == places.end() ? nullptr : &found->second;
  }
};

/// Lives as long as the process: programs call MPI in their last destructors, too.
State& state() noexcept;

}  // namespace heddle::interposition
