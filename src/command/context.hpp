// command/context.hpp: facts besides the words of a line and the files of its command on which the
// command depends.
//
//   const auto context = context_of("/opt/heddle/lib/heddle/start.py", environ);
//   const auto path = file_of(context, environ);     // ~/.cache/heddle/found.json.lines/9c0f...
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace heddle::command {

/// The version and place of this Heddle, the folder and the user, the cores and the machine since
/// its start. Also all variables that count(). Returns nullopt if one of these is not known.
/// @param python  the start of the Python command, which names this copy of Heddle
std::optional<std::string> context_of(std::string_view python, char** environment);

/// True: python/heddle reads this variable, or runs a program that reads it, to find the command.
bool counts(std::string_view variable);

/// The file of the lines of this context. nullopt: the user wants none (HEDDLE_CACHE=off), or there
/// is no home.
std::optional<std::string> file_of(std::string_view context, char** environment);

/// The value of a variable. nullptr: it is not set.
const char* value_of(std::string_view variable, char** environment);

}  // namespace heddle::command
