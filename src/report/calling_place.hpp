// report/calling_place.hpp: the place of the program that makes a call. Fortran and Python call MPI
// through a library, the binding. Then the return address lies in the binding, and the place is
// the caller of the binding.
//
//   const void* const from = calling_place(__builtin_return_address(0));
//   place_of(from)                                                // {"/home/me/app", 0x1234, "exchange_"}
#pragma once

#include <cstdint>
#include <string_view>

namespace heddle::report {

/// The part of a loaded file in a call.
enum class Part : std::uint8_t {
  program,  ///< The program, or a library that it uses.
  binding,  ///< The MPI library, its bindings for other languages, and Heddle.
  mpi4py,   ///< The binding for Python.
};
/// @param file  The name of a loaded file, with or without its folder.
Part part_of(std::string_view file) noexcept;

/// A return address in the program, or the address of a PythonLine. If the caller of a binding
/// cannot be found, it is `from`. place_of() takes all of them. Any thread may call.
/// @param from  The return address of a call of MPI.
const void* calling_place(const void* from) noexcept;

}  // namespace heddle::report
