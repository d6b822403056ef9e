// settings/trace.hpp: HEDDLE_TRACE. Includes nothing of Heddle. Apart from Settings: only who takes the host's place and who
// writes at the end ask for it.
#pragma once

#include <string>

namespace heddle::settings {

/// The file that a trace goes to; empty: none is wanted.
std::string trace_file(const char* const* environment);
/// trace_file(environ).
std::string trace_file();

}  // namespace heddle::settings
