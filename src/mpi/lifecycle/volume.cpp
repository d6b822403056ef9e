// mpi/lifecycle/volume.cpp: counts, times sizes of datatypes.
#include "mpi/lifecycle/volume.hpp"

#include <numeric>
#include <vector>

#include "mpi/collectives/peers.hpp"
#include "mpi/communicators/ask.hpp"

namespace heddle::mpi {
namespace {

std::vector<int> in_world(MPI_Comm comm, bool inter) {
  communicators::Handle peers;
  communicators::Handle world;
  if ((inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(comm, &peers.group) != MPI_SUCCESS) return {};
  if (PMPI_Comm_group(MPI_COMM_WORLD, &world.group) != MPI_SUCCESS) return {};
  int size = 0;
  PMPI_Group_size(peers.group, &size);
  std::vector<int> mine(static_cast<std::size_t>(size));
  std::iota(mine.begin(), mine.end(), 0);
  std::vector<int> found(mine.size(), -1);
  PMPI_Group_translate_ranks(peers.group, size, mine.data(), world.group, found.data());
  return found;
}

}  // namespace

report::Partners partners_on(MPI_Comm comm) {
  report::Partners partners;
  int two = 0;
  if (PMPI_Comm_test_inter(comm, &two) != MPI_SUCCESS) return partners;
  partners.inter = two != 0;
  partners.me = own_rank(comm);
  partners.world = in_world(comm, partners.inter);
  std::vector<int> from;
  if (!partners.inter) neighbour_ranks(comm, partners.me, from, partners.neighbours);
  return partners;
}

report::Moves moves_of(const timed::Called& called, const report::Partners& partners, std::int64_t size) noexcept {
  report::Moves moves{.pattern = called.pattern,
                      .peer = called.peer,
                      .is_root = called.root == (partners.inter ? MPI_ROOT : partners.me),
                      .has_block = !partners.inter || (called.root != MPI_ROOT && called.root != MPI_PROC_NULL),
                      .root = called.root,
                      .sends_in_place = called.sent.buffer == MPI_IN_PLACE,
                      .receives_in_place = called.received.buffer == MPI_IN_PLACE};
  std::int64_t bytes = 0;
  if (size >= 0 && called.buffer != MPI_IN_PLACE && called.count >= 0 && !__builtin_mul_overflow(called.count, size, &bytes))
    moves.one = bytes;
  return moves;
}

std::int64_t BlockSizes::size_of(MPI_Datatype type) noexcept {
  if (size_ >= 0 && type == called_.type && called_.typed) return size_;
  if (type == asked_) return answer_;
  MPI_Count size = -1;
  if (type == MPI_DATATYPE_NULL || PMPI_Type_size_x(type, &size) != MPI_SUCCESS) return 0;
  asked_ = type;
  return answer_ = size;
}

/// No overflow: what a program can have in memory it cannot count further than this.
std::int64_t BlockSizes::of(const timed::Blocks& blocks, int i) noexcept {
  const std::int64_t count = blocks.counts ? blocks.counts[i] : blocks.wide_counts ? blocks.wide_counts[i] : blocks.count;
  if (count <= 0) return 0;
  const std::int64_t size = size_of(blocks.types ? blocks.types[i] : blocks.type);
  std::int64_t bytes = 0;
  return size < 0 || __builtin_mul_overflow(count, size, &bytes) ? 0 : bytes;
}

}  // namespace heddle::mpi
