// mpi/lifecycle/volume.cpp: counts, times sizes of datatypes.
#include "mpi/lifecycle/volume.hpp"

#include <algorithm>
#include <utility>

#include "mpi/collectives/peers.hpp"

namespace heddle::mpi {
namespace {

using timed::Pattern;

std::vector<int> in_world(MPI_Comm comm, bool inter) {
  MPI_Group peers = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  if ((inter ? PMPI_Comm_remote_group(comm, &peers) : PMPI_Comm_group(comm, &peers)) != MPI_SUCCESS) return {};
  if (PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return {};
  int size = 0;
  PMPI_Group_size(peers, &size);
  std::vector<int> mine(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) mine[static_cast<std::size_t>(i)] = i;
  std::vector<int> found(mine.size(), -1);
  PMPI_Group_translate_ranks(peers, size, mine.data(), world, found.data());
  PMPI_Group_free(&peers);
  PMPI_Group_free(&world);
  return found;
}

/// No overflow: what a program can have in memory it cannot count further than this.
std::int64_t product(std::int64_t count, std::int64_t size) noexcept {
  std::int64_t bytes = 0;
  return count < 0 || size < 0 || __builtin_mul_overflow(count, size, &bytes) ? 0 : bytes;
}

}  // namespace

Partners::Partners(MPI_Comm comm) {
  int two = 0;
  if (PMPI_Comm_test_inter(comm, &two) != MPI_SUCCESS) return;
  inter = two != 0;
  me = own_rank(comm);
  world = in_world(comm, inter);
  if (inter) return;
  std::vector<int> from;
  neighbour_ranks(comm, me, from, neighbours);
}

std::int64_t Volume::size_of(MPI_Datatype type) const noexcept {
  if (size_ >= 0 && type == called_.type && called_.typed) return size_;
  if (type == asked_) return answer_;
  MPI_Count size = -1;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS) return 0;
  asked_ = type;
  return answer_ = size;
}

std::int64_t Volume::one() const noexcept { return product(called_.count, std::max<std::int64_t>(size_, 0)); }

std::int64_t Volume::block(const Blocks& of, int i) const noexcept {
  const std::int64_t count = of.counts ? of.counts[i] : of.wide_counts ? of.wide_counts[i] : of.count;
  return count > 0 ? product(count, size_of(of.types ? of.types[i] : of.type)) : 0;
}

std::int64_t Volume::sum(const Blocks& of, std::size_t blocks) const noexcept {
  std::int64_t bytes = 0;
  for (std::size_t i = 0; i < blocks; ++i) bytes += block(of, static_cast<int>(i));
  return bytes;
}

std::int64_t Volume::contribution() const noexcept {
  return in_place() ? block(called_.received, partners_.me) : block(called_.sent, 0);
}

std::int64_t Volume::bytes() const noexcept {
  const std::size_t ranks = partners_.world.size();
  if (called_.pattern == Pattern::none || called_.pattern == Pattern::broadcast) {
    std::int64_t bytes = 0;
    if (size_ < 0 || called_.buffer == MPI_IN_PLACE || called_.count < 0 ||
        __builtin_mul_overflow(called_.count, size_, &bytes))
      return -1;
    return bytes;
  }
  if (partners_.me < 0) return -1;
  switch (called_.pattern) {
    case Pattern::alltoall:
      return sum(sending(), ranks);
    case Pattern::allgather:
      return contribution();
    case Pattern::gather:
      return root() ? sum(called_.received, ranks) : leaf() ? block(called_.sent, 0) : 0;
    case Pattern::scatter:
      return root() ? sum(called_.sent, ranks) : leaf() ? block(called_.received, 0) : 0;
    case Pattern::neighbor_alltoall:
    case Pattern::neighbor_allgather: {
      const bool one = called_.pattern == Pattern::neighbor_allgather;
      std::int64_t bytes = 0;
      for (std::size_t i = 0; i < partners_.neighbours.size(); ++i)
        if (partners_.neighbours[i] >= 0)
          bytes = one ? block(called_.sent, 0) : bytes + block(called_.sent, static_cast<int>(i));
      return bytes;
    }
    case Pattern::none:
    case Pattern::broadcast:
      break;
  }
  return -1;
}

}  // namespace heddle::mpi
