// report/place.hpp: the place of a call in the program: a loaded file and an offset. The function
// and the line are found when the report is read (python/heddle/reported/lines.py), not while the
// program runs.
//
//   const Place place = place_of(__builtin_return_address(0));       // {"/home/me/app", 0x1234, "main"}
#pragma once

#include <cstdint>
#include <string>

namespace heddle::report {

struct Place {
  std::string module;        ///< The file; empty: unknown.
  std::uint64_t offset = 0;  ///< Offset as in the file's symbols, independent of its load address.
  std::string symbol;        ///< The exported function that contains it, if the loader knows one.
  /// Why a call of mpi4py has no line of the Python program: a literal. Empty: it has one, or the
  /// reason is not known.
  const char* no_line = "";
};

Place place_of(const void* address);

/// The file of this process's program; empty: the system does not tell.
std::string program_file();

}  // namespace heddle::report
