// report/calling_place.cpp: walks over the frames of the binding to the first frame of the program.
#include "report/calling_place.hpp"

#include <dlfcn.h>
#include <unwind.h>

#include <algorithm>
#include <array>
#include <atomic>

#include "report/python_line.hpp"
#include "threads/handle_table.hpp"

namespace heddle::report {
namespace {

/// The part of a caller's file. Programs call from few places, so each place is looked up once.
Part part_at(const void* address) noexcept {
  constexpr int bits = 10;
  static constinit std::array<std::atomic<std::uint64_t>, std::size_t{1} << bits> known{};  // address * 4 + part
  const auto key = reinterpret_cast<std::uintptr_t>(address);
  std::atomic<std::uint64_t>& slot = known[threads::hash_of(key, bits)];
  const std::uint64_t found = slot.load(std::memory_order_relaxed);
  if (found / 4 == key && found != 0) return static_cast<Part>(found % 4);
  Dl_info file{};
  const Part part = dladdr(address, &file) != 0 && file.dli_fname ? part_of(file.dli_fname) : Part::program;
  slot.store(key * 4 + static_cast<std::uint64_t>(part), std::memory_order_relaxed);
  return part;
}

/// A walk over the frames of this thread, from the inside out.
struct Walk {
  const void* from;  // the walk begins at this return address
  bool begun = false;
  int frames = 0;
  const void* found = nullptr;
};

/// Looks at a frame. The walk ends at the first frame of the program, so that it does not depend on
/// the unwind tables of the program.
_Unwind_Reason_Code look(_Unwind_Context* context, void* given) noexcept {
  constexpr int most = 64;
  auto& walk = *static_cast<Walk*>(given);
  const auto* const address = reinterpret_cast<const void*>(_Unwind_GetIP(context));  // NOLINT(performance-no-int-to-ptr)
  if (++walk.frames > most || !address) return _URC_END_OF_STACK;
  walk.begun = walk.begun || address == walk.from;
  if (!walk.begun || part_at(address) != Part::program) return _URC_NO_REASON;
  walk.found = address;
  return _URC_END_OF_STACK;
}

}  // namespace

Part part_of(std::string_view file) noexcept {
  file.remove_prefix(file.find_last_of('/') + 1);
  if (file.starts_with("libheddle")) return Part::binding;
  if (file.starts_with("MPI.") && file.ends_with(".so")) return Part::mpi4py;
  constexpr std::string_view library = "libmpi";
  if (!file.starts_with(library)) return Part::program;
  file.remove_prefix(library.size());
  // The names of MPICH, Open MPI, Intel MPI, MVAPICH and Cray MPICH. Programs have libraries such
  // as libmpi_tools.so or libmpistat.so, too.
  constexpr std::array<std::string_view, 13> bindings = {".",      "ch",   "cxx",  "fort", "f08",  "f77",   "f90",
                                                         "_mpifh", "_use", "_abi", "_cxx", "_gnu", "_ilp64"};
  return std::ranges::any_of(bindings, [&](std::string_view each) { return file.starts_with(each); }) ? Part::binding
                                                                                                      : Part::program;
}

const void* calling_place(const void* from) noexcept {
  switch (part_at(from)) {
    case Part::program:
      return from;
    case Part::mpi4py: {
      const PythonLine* const line = python_line(from);
      return line ? static_cast<const void*>(line) : from;
    }
    case Part::binding:
      break;
  }
  Walk walk{.from = from};
  _Unwind_Backtrace(&look, &walk);
  return walk.found ? walk.found : from;
}

}  // namespace heddle::report
