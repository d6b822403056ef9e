// select/profile_file.hpp: a profile as a file that a person can read: JSON, with the unit in each name. May include:
// profile.hpp.
//
//   const Loaded loaded = load(profile_path(set.profile, environ), this_machine());
//   if (!loaded.complaint.empty()) say(loaded.complaint);       // one sentence: what is wrong, what is used
//   facts.profile = &loaded.profile;                            // good in any case: else the built-in one
#pragma once

#include <string>
#include <string_view>

#include "select/profile.hpp"

namespace heddle::select {

/// What a profile is bound to.
struct Machine {
  std::string processor;  ///< As /proc/cpuinfo names the model.
  int cores = 0;          ///< Online.

  bool operator==(const Machine&) const = default;
};
Machine this_machine();

struct Loaded {
  Profile profile = builtin();
  std::string source = "built in";  ///< Or the file's name.
  std::string complaint;            ///< Empty: fine.
};

/// The text of a profile of `machine`. `made` is a date, for people.
std::string write(const Profile& profile, const Machine& machine, std::string_view made);

/// Reads such a text. What is damaged, made for another machine or by another version, or absurd is refused: built-in profile,
/// and a complaint that says why and what now. `name` is how the complaint calls it.
Loaded parse(std::string_view text, const std::string& name, const Machine& here);

/// The file that a setting names: "auto" is heddle/profile.json in $XDG_CONFIG_HOME, else in $HOME/.config, else /etc/heddle's,
/// if it exists; "builtin" is none; anything else is a path. Empty: none.
std::string profile_path(const std::string& setting);
/// Where `heddle tune` writes it, and "auto" looks for it; empty: there is no home.
std::string usual_path();

/// parse() of a file; no file for an empty path. A file that cannot be read is refused likewise.
Loaded load(const std::string& path, const Machine& here);

}  // namespace heddle::select
