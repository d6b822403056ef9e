// mpi/communicators/ask.hpp: what the host says of a communicator's group. Includes group/, host.hpp.
#pragma once

#include <optional>

#include "group/group.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi::communicators {

/// Of a group of the host's, freed at the end of the scope.
struct Handle {
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
  }
  MPI_Group group = MPI_GROUP_NULL;
};

/// Whom ranks mean in messages and blocks: a communicator's own group, or the remote one of an inter-communicator.
struct Peers {
  explicit Peers(MPI_Comm comm) noexcept {
    int two = 0;
    if (comm == MPI_COMM_NULL || PMPI_Comm_test_inter(comm, &two) != MPI_SUCCESS) return;
    inter = two != 0;
    known = (inter ? PMPI_Comm_remote_size : PMPI_Comm_size)(comm, &ranks) == MPI_SUCCESS;
  }

  bool known = false;  ///< False: the host refuses the communicator; the rest means nothing then.
  bool inter = false;
  int ranks = 0;
};

/// In MPI_COMM_WORLD's ranks, read in short pieces into the encoder: memory does not grow with regular communicators. Of an
/// inter-communicator the remote group. Empty if a member is of another world; nothing if the host does not say.
/// Throws std::bad_alloc.
std::optional<group::Group> asked(MPI_Comm comm);

/// Whether a member of the local group of an inter-communicator is of another world. Throws std::bad_alloc.
bool strangers_here(MPI_Comm comm);

/// Whether the host's size of the communicator, and in it the place of this process (rank `me` of the world), are the group's.
bool agrees(MPI_Comm comm, const group::Group& group, int me) noexcept;

}  // namespace heddle::mpi::communicators
