// report/build_id.hpp: the build ID of a loaded file. A reader of the report compares it with the
// file of that name, which may have been compiled again since.
//
//   build_id("/home/me/app")                     // "9f1c…", 40 digits by most linkers; "": it has none
#pragma once

#include <string>

namespace heddle::report {

/// @param module  The file's name, as Place has it.
/// Throws std::bad_alloc.
std::string build_id(const std::string& module);

}  // namespace heddle::report
