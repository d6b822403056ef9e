// interposition/interposition.hpp: how calls come to Heddle: it takes the place of the host's
// procedures, under both of their names. Knows names of MPI, but neither its types nor what its
// procedures do.
//
//   if (take_place(reinterpret_cast<const void*>(PMPI_Send), false) == Taken::all) ...
//
//   program ── MPI_Send ──▶ tool, if there is one ── PMPI_Send ──▶ Heddle ── by the host's address ──▶ host
//
// An interposer that is found by name alone sees what its callers happen to find: not a receive that a tool makes as PMPI_Recv,
// nor one taken by dlsym() from libmpi, nor that of a plugin loaded with RTLD_DEEPBIND. Such a receive would take the
// descriptor of a message for the message. So Heddle exports none of MPI's names. When it is loaded (mpi/process/load.cpp),
//
//   1. its own slots, and the host library's own (its ROMIO calls MPI, too), are bound to the host for good;
//   2. the host's symbols of the procedures that Heddle carries out, MPI_X and PMPI_X, get the addresses of Heddle's: whoever
//      asks the loader for them, by whatever name, in whatever scope, now or later, is given those;
//   3. slots of other objects that the loader has bound to the host already are pointed at Heddle's.
//
// It runs before the constructors of all other objects (-z initfirst), so that nobody has taken an address before. A procedure
// that the host lacks is not made up. Fortran's bindings are objects like others. If the system refuses any of it, nothing is
// changed, or, if some slots could not be written, no message is ever announced (misses()).
//
// For measurements: in an object that defines `heddle_pmpi_is_host`, PMPI_ names stay the host's.
#pragma once

#include <mutex>

namespace heddle::interposition {

enum class Taken {
  no_host,     ///< No MPI library is loaded: a shell, a launcher.
  in_program,  ///< The executable contains it: its own calls go by no name.
  refused,     ///< By the system: nothing is changed.
  in_part,     ///< Some slots could not be written.
  all,
};

/// Takes the host's place. Once, when Heddle is loaded. Throws std::bad_alloc.
/// @param in_host  An address in the host's library: of a procedure. @param timed  With somebody who looks on (procedures.hpp).
Taken take_place(const void* in_host, bool timed);

/// What has come of it; no_host before.
Taken taken() noexcept;

/// Why a receive of this process could come to the host past Heddle, as far as can be seen: a sentence's end ("the host has
/// MPI_Foo, which this Heddle does not know"). Null: there is no such way. In MPI_Init.
const char* misses() noexcept;

/// The file of the host's library.
const char* host_path() noexcept;

/// The host's procedure of that name, behind Heddle. Null: none, or not one that Heddle has taken the place of.
void* host_procedure(const char* name);

/// Whether an object calls `name` ("PMPI_Group_free") of the host past Heddle.
bool called_past_us(const char* name);

/// The same, to be asked often: it looks when objects have been loaded since. What was called past Heddle meanwhile nobody
/// knows, so once so is for ever so. Any thread.
class PastUs {
 public:
  constexpr explicit PastUs(const char* name) noexcept : name_(name) {}
  bool ever();

 private:
  const char* const name_;
  std::mutex looking_;
  unsigned long long looked_at_ = 0;  // objects_ever_loaded()
  bool ever_ = false;
};

}  // namespace heddle::interposition
