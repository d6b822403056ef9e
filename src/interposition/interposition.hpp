// interposition/interposition.hpp: brings calls to Heddle, which takes the place of the host's
// procedures under both of their names. This room knows names of MPI, but no types and no meanings
// of procedures.
//
//   if (take_place(reinterpret_cast<const void*>(PMPI_Send), false) == Taken::all) ...
//
//   program ── MPI_Send ──▶ tool, if there is one ── PMPI_Send ──▶ Heddle ── by the host's address ──▶ host
//
// An interposer that relies on names alone misses some receives: a tool's PMPI_Recv, a receive by
// dlsym() from libmpi, and a receive of a plugin loaded with RTLD_DEEPBIND. Such a receive would
// take the descriptor of a message for the message. So Heddle exports none of MPI's names. When it
// is loaded (mpi/process/load.cpp),
//
//   1. it binds its own slots, and those of the host library (whose ROMIO calls MPI, too), to the host for good;
//   2. it gives the host's symbols of the procedures that Heddle carries out, MPI_X and PMPI_X, the addresses of Heddle's.
//      From then on the loader hands out these addresses, for any name and in any scope;
//   3. it redirects slots of other objects that the loader has already bound to the host.
//
// This runs before the constructors of all other objects (-z initfirst), so that no object has
// taken an address before. Procedures that the host lacks stay missing. Fortran's bindings are
// treated like other objects. If the system refuses a step, nothing is changed. If only some slots
// could not be written, Heddle never announces messages (misses()).
//
// An object that defines `heddle_pmpi_is_host` keeps the host's PMPI_ procedures. Measurements use
// this.
#pragma once

#include <mutex>

namespace heddle::interposition {

enum class Taken {
  no_host,     ///< No MPI library is loaded (a shell, a launcher).
  in_program,  ///< The executable contains the library, so its calls use no names.
  refused,     ///< The system refused, and nothing is changed.
  in_part,     ///< Some slots could not be written.
  all,
};

/// Takes the host's place. Call it once, when Heddle is loaded. Throws std::bad_alloc.
/// @param in_host  The address of a procedure in the host's library.
/// @param timed  Uses Procedure::timed, and replaces the procedures of observed().
Taken take_place(const void* in_host, bool timed);

/// The result of take_place(); no_host before.
Taken taken() noexcept;

/// The reason why a receive of this process could bypass Heddle, as far as Heddle can see. It is
/// the end of a sentence ("the host has MPI_Foo, which this Heddle does not know"). Null: no
/// receive can. Call it in MPI_Init.
const char* misses() noexcept;

/// The file of the host's library.
const char* host_path() noexcept;

/// The host's procedure of that name. Null: Heddle has not replaced such a procedure.
void* host_procedure(const char* name);

/// True if an object calls the host's `name` ("PMPI_Group_free") past Heddle.
bool called_past_us(const char* name);

/// As called_past_us(), for frequent questions: it looks again only if objects have been loaded
/// since. An answer of true never changes, because calls past Heddle leave no trace. Any thread may
/// call.
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
