// select/profile_file.hpp: a profile as a readable file: JSON, with the unit in each name.
//
//   const Loaded loaded = load(profile_path(set.profile, environ), this_machine());
//   if (!loaded.complaint.empty()) say(loaded.complaint);       // one sentence: the fault, and the profile used instead
//   facts.profile = &loaded.profile;                            // always good: the built-in profile if the file has a fault
#pragma once

#include <string>
#include <string_view>

#include "select/profile.hpp"

namespace heddle::select {

/// The machine of a profile.
struct Machine {
  std::string processor;  ///< The model's name in /proc/cpuinfo.
  int cores = 0;          ///< Cores that are online.

  bool operator==(const Machine&) const = default;
};
Machine this_machine();

struct Loaded {
  Profile profile = builtin();
  std::string source = "built in";  ///< "built in", or the file's name.
  std::string complaint;            ///< Empty: no fault.
};

/// The text of a profile of `machine`. `made` is a date, for people.
std::string write(const Profile& profile, const Machine& machine, std::string_view made);

/// Reads such a text. A text is refused if it is damaged, of another machine or version, or absurd.
/// The built-in profile then holds, and a complaint has the reason and a mend. The complaint calls
/// the text `name`.
Loaded parse(std::string_view text, const std::string& name, const Machine& here);

/// The file that a setting names. "auto" is heddle/profile.json in $XDG_CONFIG_HOME or
/// $HOME/.config, or else in /etc/heddle if it exists. "builtin" is no file. Any other text is a
/// path. Empty: no file.
std::string profile_path(const std::string& setting);
/// The file that `heddle tune` writes and "auto" reads. Empty: there is no home.
std::string usual_path();

/// parse() of a file. An empty path means no file. An unreadable file is refused, too.
Loaded load(const std::string& path, const Machine& here);

}  // namespace heddle::select
