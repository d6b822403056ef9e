// report/place.hpp: where in the program a call comes from: a file that is loaded, and how far into
// it. Function and line are found out when the report is read (python/heddle/reported/lines.py),
// not while the program runs.
//
//   const Place place = place_of(__builtin_return_address(0));       // {"/home/me/app", 0x1234, "main"}
#pragma once

#include <cstdint>
#include <string>

namespace heddle::report {

struct Place {
  std::string module;        ///< The file; empty: none is known.
  std::uint64_t offset = 0;  ///< As its own symbols count, whatever address it was loaded at.
  std::string symbol;        ///< The exported function that it lies in, if the loader knows one.
};

Place place_of(const void* address);

}  // namespace heddle::report
