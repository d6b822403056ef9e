// interposition/state.hpp: the result of taking the host's place, when this library was loaded.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "interposition/interposition.hpp"

namespace heddle::interposition {

/// A symbol of objects whose PMPI_ names stay the host's.
constexpr const char* marker = "heddle_pmpi_is_host";

/// The addresses of a procedure: the host's and Heddle's.
struct Place {
  void* host;
  void* ours;
};

struct State {
  /// Look-ups by string_view copy no names. A job makes some thousand look-ups when it starts.
  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view name) const noexcept { return std::hash<std::string_view>()(name); }
  };
  Taken taken = Taken::no_host;
  std::string path;  ///< File of the host's library.
  std::unordered_map<std::string, Place, Hash, std::equal_to<>> places;

  [[nodiscard]] const Place* find(const char* name) const {
    const auto found = places.find(std::string_view(name));
    return found == places.end() ? nullptr : &found->second;
  }
};

/// It lives as long as the process, because programs may call MPI even in their last destructors.
State& state() noexcept;

}  // namespace heddle::interposition
