// mpi/process/profile.cpp
#include "mpi/process/profile.hpp"

#include "layout/lasting.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi {

const select::Loaded& profile_of_machine() {
  static layout::Lasting<const select::Loaded> loaded([] {
    const std::string path = select::profile_path(settings_of_process().profile);
    return path.empty() ? select::Loaded{} : select::load(path, select::this_machine());
  }());
  return *loaded;
}

}  // namespace heddle::mpi
