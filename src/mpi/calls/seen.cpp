// mpi/calls/seen.cpp: what Heddle keeps of a communicator, and what stands behind it, for tests, measurements and debuggers:
// found by dlsym, declared by whoever calls it. Not for programs: it may change at any time.
#include "group/formats.hpp"
#include "interposition/interposition.hpp"
#include "interposition/procedures.hpp"
#include "mpi/communicators/known.hpp"

namespace communicators = heddle::mpi::communicators;

extern "C" {

#pragma GCC visibility push(default)
int heddle_seen_world_rank(MPI_Comm comm, int rank);
const char* heddle_seen_format(MPI_Comm comm, int* known, int* bytes);
void* heddle_seen_host(const char* name);
const char* heddle_seen_procedure(int i);
#pragma GCC visibility pop

/// As communicators::world_rank.
int heddle_seen_world_rank(MPI_Comm comm, int rank) { return communicators::world_rank(comm, rank); }

/// How the group is kept, or null; whether that was known before the question; bytes of the members.
const char* heddle_seen_format(MPI_Comm comm, int* known, int* bytes) {
  *known = communicators::known(comm).has_value();
  const communicators::Members* const members = communicators::members(comm);
  if (!members) return nullptr;
  *bytes = static_cast<int>(members->group.bytes());
  return heddle::group::entry(members->group.format()).name.data();
}

/// As interposition::host_procedure.
void* heddle_seen_host(const char* name) { return heddle::interposition::host_procedure(name); }

/// The procedures that Heddle carries out where the host has them; null: no more.
const char* heddle_seen_procedure(int i) {
  const auto all = heddle::interposition::procedures();
  return i >= 0 && static_cast<std::size_t>(i) < all.size() ? all[static_cast<std::size_t>(i)].name : nullptr;
}

}  // extern "C"
