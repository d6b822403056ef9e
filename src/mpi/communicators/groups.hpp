// mpi/communicators/groups.hpp: the program's groups (MPI_Group), described by the calls that make
// them. The first 1000 ranks of a million are a stride, not a list.
//
// A communicator that a call has just made gets its group from such a description, or from its
// parent's group. Heddle asks the host later if it does not know the parent's group (no message has
// needed it yet), or if ranks may have been reordered.
//
//   const int result = PMPI_Group_range_incl(group, n, ranges, made);
//   if (result == MPI_SUCCESS) communicators::derived(*made, [&](const group::Group& of) { return ...; }, group);
//
//   const int result = PMPI_Cart_sub(comm, remain, made);
//   if (result == MPI_SUCCESS && communicators::opened()) communicators::part_of("MPI_Cart_sub", *made, comm, remain);
//
// Made has the parameters of a call that makes a communicator or a group. host_procedures.py finds
// them by their types.
//
// A group handle has no attributes, so only the calls themselves tell when it is freed and given to
// another group. Every call that frees a handle, or makes a group of that handle, drops its
// description. Heddle does not believe a description
//
//   1  if an object of this process calls PMPI_Group_free past Heddle (interposition/);
//   2  if the host's group has another size, or another rank in one of four places (this process, first, middle, last).
#pragma once

#include <exception>

#include "mpi/communicators/communicator_registry.hpp"

namespace heddle::mpi::communicators {

/// A call that makes a communicator or a group, with its parameters.
struct Made {
  const char* by;                         ///< "MPI_Comm_split"
  MPI_Comm comm = MPI_COMM_NULL;          ///< The first communicator among the parameters.
  MPI_Group group = MPI_GROUP_NULL;       ///< The first group,
  MPI_Group other = MPI_GROUP_NULL;       ///< and the second.
  MPI_Info info = MPI_INFO_NULL;          ///< Hints.
  const MPI_Comm* made = nullptr;         ///< Receives the communicator, if the call succeeds,
  const MPI_Group* made_group = nullptr;  ///< or the group.
  bool reordered = false;                 ///< The call may have reordered ranks.
};

/// From here on, `made` is this group.
void describe(MPI_Group made, const group::Group& group) noexcept;

/// `handle` is about to be freed, or stands for a group that Heddle does not know.
void forget(MPI_Group handle) noexcept;

/// The description of a group from which another group is made. The host is not asked.
std::optional<group::Group> described(MPI_Group handle) noexcept;

/// The description, if it agrees with the host.
std::optional<group::Group> believed(MPI_Group handle) noexcept;

/// Describes `made` as derive(descriptions of the parents ...), if all parents are described.
template <class Derive, class... Parents>
void derived(MPI_Group made, Derive derive, Parents... parents) noexcept try {
  if (!opened()) return;
  const auto from = [&](const auto&... of) {
    if ((of && ...)) return describe(made, derive(*of...));
    forget(made);
  };
  from(described(parents)...);
} catch (const std::exception&) {
  forget(made);
}

// Groups of communicators:

/// The communicator has the first ranks of its parent, in the same order. If the call may have
/// reordered ranks, the host will be asked.
void front_of(const Made& call) noexcept;

/// The lines, planes, ... of a Cartesian topology through this process.
/// @param remain  As MPI_Cart_sub takes it.
void part_of(const char* call, MPI_Comm made, MPI_Comm parent, const int* remain) noexcept;

/// The communicator has the members of call.group, if that group is described. Not for a
/// communicator that is made of an inter-communicator: only the local group is an argument of that
/// call.
void of_group(const Made& call) noexcept;

}  // namespace heddle::mpi::communicators
