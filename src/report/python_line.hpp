// report/python_line.hpp: the line of a Python program that this thread is in.
//
//   const PythonLine* line = python_line(return_address);        // {"/home/me/heat.py", "exchange", 42}
//   python_line_at(line)                                          // line; null for any other address
#pragma once

#include <string>

#include "report/place.hpp"

namespace heddle::report {

struct PythonLine {
  std::string file;
  std::string function;
  int line = 0;
};

/// The line as a place. `module` and `symbol` are its file and function, and `offset` has the
/// number with the top bit, which no offset of code has.
Place place_of(const PythonLine& line);
/// The number of the line. 0: the place is not in Python.
int line_of(const Place& place) noexcept;

/// The innermost line outside mpi4py. If all lines are mpi4py's, the innermost line. It lives as
/// long as the process. The lines of a code object keep their addresses.
///
/// mpi4py gives the interpreter's lock (the GIL) away during a call of MPI, and frames may only be
/// read with the lock. Heddle never waits for the lock: another thread may hold it while it waits
/// for this call. So the result is null if Python has several threads, or if CPython's C API cannot
/// be found.
/// @param binding  An address in mpi4py's library. The folder of that file has mpi4py's own lines.
const PythonLine* python_line(const void* binding) noexcept;

/// Why python_line() is null for this thread, in a few words. Empty: it need not be null, or memory
/// is short.
const char* why_no_python_line() noexcept;

/// The line with this address. Null: there is none.
const PythonLine* python_line_at(const void* address) noexcept;

}  // namespace heddle::report
