// mpi/communicators/described.hpp: groups that the program has handles of (MPI_Group), as the calls that made them describe
// them: the first 1000 ranks of a million are a stride, not a list. A communicator made of one is composed from it. Includes
// known.hpp.
//
//   const int result = PMPI_Group_range_incl(group, n, ranges, made);
//   if (result == MPI_SUCCESS) communicators::derived(*made, [&](const group::Group& of) { return ...; }, group);
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

}  // namespace heddle::mpi::communicators
