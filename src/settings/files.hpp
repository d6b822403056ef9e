// settings/files.hpp: HEDDLE_ variables that a file sets, either the site's file or the user's. No
// MPI.
//
//   # /etc/heddle/heddle.conf
//   HEDDLE_NODE_MEMORY = 1G          # the environment overrides this
//
//   const Files files = read_files(user_file(environ), site_file);
//   const Settings set = read(environ, files);          // from_environment() is this
//   source(environ, files, "HEDDLE_NODE_MEMORY").from;  // "/etc/heddle/heddle.conf:2"
//
// The environment overrides the user's file, which overrides the site's file. NAME= in the
// environment means the default, even if a file sets the variable. It reads without C++ streams,
// because the library reads before the C library has begun.
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
  std::vector<Line> lines;              ///< The first line of a name counts.
  std::vector<std::string> complaints;  ///< As in Settings: lines that are not NAME=VALUE, and unknown names.
};

/// The file that $HEDDLE_CONFIG names, or else heddle/heddle.conf in $XDG_CONFIG_HOME or
/// $HOME/.config. Empty: no home. "none": Heddle reads neither the user's file nor the site's.
std::string user_file(const char* const* environment);

/// The lines of a text. Complaints call the text `name`.
Files parse_file(std::string_view text, const std::string& name);

/// The user's lines, then the site's. A missing file counts as empty, except for the file that
/// $HEDDLE_CONFIG names.
Files read_files(const std::string& user, const std::string& site, bool user_must_exist = false);

/// The files that an environment asks for.
Files files_of(const char* const* environment);

/// Reads the environment and the files.
Settings read(const char* const* environment, const Files& files);

constexpr std::string_view environment_itself = "environment";

/// The value of a variable, and its place: environment_itself, or file and line. None: the default
/// holds.
struct Source {
  std::string value;
  std::string from;
};
std::optional<Source> source(const char* const* environment, const Files& files, std::string_view name);

}  // namespace heddle::settings
