// settings/files.hpp: HEDDLE_ variables that a file sets: a site's for all, a user's own. No MPI, nothing else of Heddle but
// settings.hpp.
//
//   # /etc/heddle/heddle.conf
//   HEDDLE_NODE_MEMORY = 1G          # what the environment sets, goes before
//
//   const Files files = read_files(user_file(environ), site_file);
//   const Settings set = read(environ, files);          // from_environment() is this
//   source(environ, files, "HEDDLE_NODE_MEMORY").from;  // "/etc/heddle/heddle.conf:2"
//
// The environment goes before the user's file, and that before the site's. NAME= in the environment is the default, whatever
// files say. Reads without the C++ streams: the library does so before the C library has begun.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "settings/settings.hpp"

namespace heddle::settings {

inline constexpr const char* site_file = "/etc/heddle/heddle.conf";

/// A variable that a file sets.
struct Line {
  std::string name;
  std::string value;
  std::string from;  ///< "/etc/heddle/heddle.conf:3"
};

struct Files {
  std::vector<Line> lines;              ///< The first of a name counts.
  std::vector<std::string> complaints;  ///< As of Settings: lines that say nothing, names that do not exist.
};

/// What $HEDDLE_CONFIG names, else heddle/heddle.conf in $XDG_CONFIG_HOME or $HOME/.config; empty: no home. "none": neither
/// this nor the site's file is to be read.
std::string user_file(const char* const* environment);

/// Lines of a text; `name` is what complaints call it.
Files parse_file(std::string_view text, const std::string& name);

/// The user's lines, then the site's. A file that is not there is none; but that $HEDDLE_CONFIG names one must be there.
Files read_files(const std::string& user, const std::string& site, bool user_must_exist = false);

/// The files that an environment asks for.
Files files_of(const char* const* environment);

/// read() of both.
Settings read(const char* const* environment, const Files& files);

constexpr std::string_view environment_itself = "environment";

/// What a variable is set to, and by whom: environment_itself, or file and line. None: its default holds.
struct Source {
  std::string value;
  std::string from;
};
std::optional<Source> source(const char* const* environment, const Files& files, std::string_view name);

}  // namespace heddle::settings
