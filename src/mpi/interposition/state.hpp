// mpi/interposition/state.hpp: what was found and done when this library was loaded. Includes nothing of Heddle.
#pragma once

#include <string>
#include <unordered_map>

namespace heddle::mpi::interposition {

/// Defined by objects whose PMPI_ names stay the host's.
constexpr const char* marker = "heddle_pmpi_is_host";

enum class Taken {
  no_host,     ///< No MPI library is loaded: a shell, a launcher.
  in_program,  ///< The executable contains it: its own calls go by no name.
  refused,     ///< By the system: nothing is changed.
  in_part,     ///< Some slots could not be written.
  all,
};

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

}  // namespace heddle::mpi::interposition
