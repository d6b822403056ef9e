// mpi/communicators/host_group.hpp: asks the host for the group of a communicator.
#pragma once

#include <optional>

#include "group/group.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi::communicators {

/// The handle of a group of the host, freed at the end of the scope.
struct Handle {
  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    if (group != MPI_GROUP_NULL) PMPI_Group_free(&group);
  }
  MPI_Group group = MPI_GROUP_NULL;
};

/// The group whose ranks messages and blocks name: a communicator's own group, or the remote group
/// of an inter-communicator.
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

/// The communicator's group in ranks of MPI_COMM_WORLD, or the remote group of an
/// inter-communicator. It is read in short pieces into the encoder, so regular communicators need
/// little memory, however large they are. An empty group: a member is of another world. Nothing:
/// the host does not say. Throws std::bad_alloc.
std::optional<group::Group> asked(MPI_Comm comm);

/// True: a member of an inter-communicator's local group is of another world. Throws
/// std::bad_alloc.
bool strangers_here(MPI_Comm comm);

/// True: the host's size of the communicator, and the place of this process in it, agree with the
/// group. `me`: this process in MPI_COMM_WORLD. Only the size is compared if it is an
/// inter-communicator.
bool agrees(MPI_Comm comm, const group::Group& group, int me) noexcept;

}  // namespace heddle::mpi::communicators
