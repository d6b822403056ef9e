// mpi/calls/call_hooks.cpp: what Heddle knows of a communicator, of the host and of its own
// procedures, for tests, measurements and debuggers. They declare these functions, and find them by
// dlsym. The functions are not for programs: they may change at any time.
#include "group/formats.hpp"
#include "interposition/interposition.hpp"
#include "interposition/procedures.hpp"
#include "mpi/communicators/communicator_registry.hpp"

namespace communicators = heddle::mpi::communicators;

extern "C" {

#pragma GCC visibility push(default)
int heddle_seen_world_rank(MPI_Comm comm, int rank);
const char* heddle_seen_format(MPI_Comm comm, int* known, int* bytes);
void* heddle_seen_host(const char* name);
const char* heddle_seen_procedure(int i);
#pragma GCC visibility pop

/// The result of communicators::world_rank().
int heddle_seen_world_rank(MPI_Comm comm, int rank) { return communicators::world_rank(comm, rank); }

/// Returns the format in which the group is kept, or null. `known`: Heddle knew the group before
/// this question. `bytes`: the size of the members in memory.
const char* heddle_seen_format(MPI_Comm comm, int* known, int* bytes) {
  *known = communicators::known(comm).has_value();
  const communicators::Members* const members = communicators::members(comm);
  if (!members) return nullptr;
  *bytes = static_cast<int>(members->group.bytes());
  return heddle::group::entry(members->group.format()).name.data();
}

/// The result of interposition::host_procedure().
void* heddle_seen_host(const char* name) { return heddle::interposition::host_procedure(name); }

/// The procedures that Heddle carries out instead of the host. Null: no more.
const char* heddle_seen_procedure(int i) {
  const auto all = heddle::interposition::procedures();
  return i >= 0 && static_cast<std::size_t>(i) < all.size() ? all[static_cast<std::size_t>(i)].name : nullptr;
}

}  // extern "C"
