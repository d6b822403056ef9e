// tool/profile.cpp: the profile of this machine that the library would find.
#include <iostream>

#include "select/profile_file.hpp"
#include "settings/settings.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {

const select::Loaded& profile() {
  static const select::Loaded loaded = [] {
    select::Loaded here = select::load(select::profile_path(settings::from_environment().profile), select::this_machine());
    if (!here.complaint.empty()) std::cerr << "heddle: " << here.complaint << "\n";
    return here;
  }();
  return loaded;
}

Json profile_file() {
  const std::string path = select::profile_path(settings::from_environment().profile);
  return {{"file", path.empty() ? Json() : Json(path)}, {"source", profile().source}};
}

}  // namespace heddle::tool
