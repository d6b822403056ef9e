// mpi/communicators/groups.hpp: groups that the program has handles of (MPI_Group), as the calls that made them describe them:
// the first 1000 ranks of a million are a stride, not a list; and the group of a communicator that a call has just made,
// composed of one, or from its parent's. If the parent's is not known (a communicator that no message has asked for yet), or
// ranks may have been reordered, the host will be asked. Includes known.hpp.
//
//   const int result = PMPI_Group_range_incl(group, n, ranges, made);
//   if (result == MPI_SUCCESS) communicators::derived(*made, [&](const group::Group& of) { return ...; }, group);
//
//   const int result = PMPI_Cart_sub(comm, remain, made);
//   if (result == MPI_SUCCESS && communicators::opened()) communicators::part_of("MPI_Cart_sub", *made, comm, remain);
//
// Made is what a call that makes one of them names: host_procedures.py finds it among the call's parameters.
//
// A handle has no attributes, so nobody but the calls themselves tells when it is freed and given to another group. A
// description is therefore dropped by every call that frees its handle or makes a group of that handle, and is not believed
//
//   1  if an object of this process calls PMPI_Group_free past Heddle (interposition/);
//   2  if the host counts other members, or has this process, the first, the middle or the last at another place.
#pragma once

#include <exception>

#include "mpi/communicators/known.hpp"

namespace heddle::mpi::communicators {

/// A call that makes a communicator, or a group: those of its parameters that say of what.
struct Made {
  const char* by;                         ///< "MPI_Comm_split"
  MPI_Comm comm = MPI_COMM_NULL;          ///< The first that it names.
  MPI_Group group = MPI_GROUP_NULL;       ///< Likewise,
  MPI_Group other = MPI_GROUP_NULL;       ///< and the second.
  MPI_Info info = MPI_INFO_NULL;          ///< Hints.
  const MPI_Comm* made = nullptr;         ///< Where the communicator is, if it succeeds,
  const MPI_Group* made_group = nullptr;  ///< or the group.
  bool reordered = false;                 ///< Ranks may have been.
};

/// `made` is such a group from here on.
void describe(MPI_Group made, const group::Group& group) noexcept;

/// `handle` is about to be freed, or of a group that nothing is known of.
void forget(MPI_Group handle) noexcept;

/// The description of a group that is made of others; nothing is asked of the host.
std::optional<group::Group> described(MPI_Group handle) noexcept;

/// The description, if it can be relied on.
std::optional<group::Group> believed(MPI_Group handle) noexcept;

/// `made` is derive(descriptions of the parents ...), if they are described.
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

// Of communicators:

/// The parent's first ranks, as many as the new communicator has, in the same order unless reordered.
void front_of(const Made& call) noexcept;

/// The lines, planes, ... of a Cartesian topology through this process.
/// @param remain  As MPI_Cart_sub takes it.
void part_of(const char* call, MPI_Comm made, MPI_Comm parent, const int* remain) noexcept;

/// The members of `group`, if that is described. Not for what is made of an inter-communicator: of its groups only the local
/// one is an argument.
void of_group(const Made& call) noexcept;

}  // namespace heddle::mpi::communicators
