// mpi/communicators/known.hpp: who takes part in a communicator, kept as a group (group/). Includes group/, handles/.
//
//   if (const int world = communicators::world_rank(comm, dest); world >= 0) ...
//
// What the call that makes a communicator says of its group is composed from the parent's (made.hpp); of all others the host is
// asked when the first announced message wants to know. Of an inter-communicator the remote group is kept: that is what ranks
// mean in messages.
//
// The group hangs on its communicator as an attribute, so the host tells us when the communicator is gone; the table only
// points to it. Duplicates have one object together: the host hands the attribute on. An attribute that was handed on by any
// other call is not believed (Open MPI 5.0.11 does so in MPI_Comm_create_group).
#pragma once

#include <atomic>
#include <optional>

#include "group/group.hpp"
#include "mpi/handles/table.hpp"

namespace heddle::mpi::communicators {

/// Who takes part in a communicator and its duplicates. Empty if a member is not of this MPI_COMM_WORLD (spawned, connected).
struct Members {
  explicit Members(group::Group kept) : group(std::move(kept)) {}
  void retain() noexcept { users.fetch_add(1, std::memory_order_relaxed); }
  void release() noexcept {
    if (users.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
  }

  const group::Group group;

 private:
  ~Members() = default;
  std::atomic<int> users{1};
};

/// After MPI_Init, if anybody is going to ask; before MPI_Finalize.
void open() noexcept;
void close() noexcept;
bool opened() noexcept;

/// Null: no memory, no such communicator. Asks the host if need be.
const Members* members(MPI_Comm comm) noexcept;

/// The rank in MPI_COMM_WORLD of rank `rank` of `comm`. -1: no such rank (MPI_PROC_NULL, mistakes), or not known.
inline int world_rank(MPI_Comm comm, int rank) noexcept {
  const Members* const found = members(comm);
  return found && rank >= 0 && rank < found->group.size() ? found->group.world_rank(rank) : -1;
}

/// The group, if it is known already: nobody is asked.
std::optional<group::Group> known(MPI_Comm comm) noexcept;

/// A communicator that was just made by `call` (a literal) is of this group. Held against the host's size and own rank; if they
/// disagree, the host will be asked.
void keep(const char* call, MPI_Comm comm, const group::Group& group) noexcept;

/// A communicator that was just made by `call`: the host is asked now if a report is wanted, otherwise when a message does.
void leave(const char* call, MPI_Comm comm) noexcept;

/// While MPI_Comm_dup or one of its like runs.
///
///   Duplicating duplicating;
///   const int result = PMPI_Comm_dup(comm, made);
///   if (result == MPI_SUCCESS) duplicating.end("MPI_Comm_dup", comm, *made, true);
class Duplicating {
 public:
  Duplicating() noexcept;
  ~Duplicating();
  Duplicating(const Duplicating&) = delete;
  Duplicating& operator=(const Duplicating&) = delete;

  /// `made` is a duplicate of `of`, or is going to be one (not complete: its handle alone is looked at).
  void end(const char* call, MPI_Comm of, MPI_Comm made, bool complete) noexcept;

 private:
  const Members* before_;  // a callback of the program may duplicate, too
};

}  // namespace heddle::mpi::communicators
