// interposition/state.hpp: what was found and done when this library was loaded.
#pragma once

#include <functional>
#include <string>
#include <string_view>
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
  /// Names are looked up as they are, some thousand when a job starts: none is copied for it.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>()(name); }
  };
  Taken taken = Taken::no_host;
  std::string path;  ///< Of the host.
  std::unordered_map<std::string, Place, Hash, std::equal_to<>> places;

  [[nodiscard]] const Place* find(const char* name) const {
    const auto found = places.find(std::string_view(name));
    return found == places.end() ? nullptr : &found->second;
  }
};

/// Lives as long as the process: programs call MPI in their last destructors, too.
State& state() noexcept;

}  // namespace heddle::interposition
