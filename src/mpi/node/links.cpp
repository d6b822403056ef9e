// mpi/node/links.cpp
#include "mpi/node/links.hpp"

#include <array>
#include <new>

#include "mpi/process/host.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/say.hpp"

namespace heddle::mpi {
namespace {

select::Links& links() noexcept {
  static select::Links links = traits().host == Host::openmpi ? select::openmpi_links : select::mpich_links;
  return links;
}

/// Every number of `of`, for a reduction.
std::array<double*, 11> numbers(select::Links& of) noexcept {
  return {&of.node.latency, &of.node.message, &of.node.byte, &of.network.latency, &of.network.message, &of.network.byte,
          &of.copy,         &of.block,        &of.turn,      &of.shared,          &of.regroup};
}

}  // namespace

const select::Links& links_of_job() noexcept { return links(); }

void agree_on_links() noexcept {
  select::Links& all = links();
  try {
    const select::Profile& here = profile_of_machine().profile;
    all = traits().host == Host::openmpi ? here.openmpi : here.mpich;
  } catch (const std::bad_alloc&) {
    say_once_verbose("collectives go by built-in costs of messages", "no memory to read the profile");
  }
  const auto places = numbers(all);
  std::array<double, places.size()> mine{};
  std::array<double, places.size()> most{};
  for (std::size_t i = 0; i < mine.size(); ++i) mine[i] = *places[i];
  if (PMPI_Allreduce(mine.data(), most.data(), static_cast<int>(most.size()), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD) !=
      MPI_SUCCESS)
    most = mine;
  for (std::size_t i = 0; i < most.size(); ++i) *places[i] = most[i];
}

}  // namespace heddle::mpi
