// mpi/communicators/groups.cpp: the table of descriptions, the check of a description, and
// operations on groups for the calls.
#include "mpi/communicators/groups.hpp"

#include <memory>
#include <stdexcept>
#include <vector>

#include "group/described.hpp"
#include "group/operations.hpp"
#include "interposition/interposition.hpp"
#include "layout/immortal.hpp"
#include "mpi/communicators/host_group.hpp"

namespace heddle::mpi::communicators {
namespace {

group::Described& table() {
  static layout::Immortal<group::Described> groups;
  return *groups;
}

constinit interposition::PastUs freed_past_us("PMPI_Group_free");

/// True: the host's group has the same size, and the same ranks in four places. These are this
/// process, the first, the middle and the last.
bool agrees(MPI_Group handle, const group::Group& group) {
  int size = 0;
  int rank = 0;
  int me = 0;
  if (PMPI_Group_size(handle, &size) != MPI_SUCCESS || size != group.size()) return false;
  if (size == 0) return true;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &me) != MPI_SUCCESS || PMPI_Group_rank(handle, &rank) != MPI_SUCCESS) return false;
  const group::Rank ours = group.rank_of(me);
  if (rank != (ours == group::undefined ? MPI_UNDEFINED : ours)) return false;
  Handle world;
  constexpr int samples = 3;
  const int places[samples] = {0, size / 2, size - 1};
  int theirs[samples];
  if (PMPI_Comm_group(MPI_COMM_WORLD, &world.group) != MPI_SUCCESS ||
      PMPI_Group_translate_ranks(handle, samples, places, world.group, theirs) != MPI_SUCCESS)
    return false;
  for (int i = 0; i < samples; ++i)
    if (theirs[i] != group.world_rank(places[i])) return false;
  return true;
}

}  // namespace

void describe(MPI_Group made, const group::Group& group) noexcept {
  if (made != MPI_GROUP_NULL && made != MPI_GROUP_EMPTY) table().insert(threads::key_of(made), group);
}

void forget(MPI_Group handle) noexcept { table().erase(threads::key_of(handle)); }

std::optional<group::Group> described(MPI_Group handle) noexcept {
  return handle == MPI_GROUP_EMPTY ? group::Group() : table().find(threads::key_of(handle));
}

std::optional<group::Group> believed(MPI_Group handle) noexcept try {
  std::optional<group::Group> group = described(handle);
  if (group && (freed_past_us.ever() || !agrees(handle, *group))) group.reset();
  return group;
} catch (const std::bad_alloc&) {
  return {};  // the host will be asked
}

namespace {

std::optional<group::Group> part(const group::Group& parent, MPI_Comm cart, const int* remain) {
  int dims = 0;
  if (PMPI_Cartdim_get(cart, &dims) != MPI_SUCCESS) return {};
  const auto count = static_cast<std::size_t>(dims);
  std::vector<int> size(count);
  std::vector<int> periodic(count);
  std::vector<int> place(count);
  if (PMPI_Cart_get(cart, dims, size.data(), periodic.data(), place.data()) != MPI_SUCCESS) return {};
  const auto kept = std::make_unique<bool[]>(count);  // a span of flags; std::vector<bool> has none
  for (std::size_t i = 0; i < count; ++i) kept[i] = remain[i] != 0;
  return group::cart_sub(parent, size, {kept.get(), count}, place);
}

}  // namespace

void front_of(const Made& call) noexcept try {
  int size = 0;
  if (*call.made == MPI_COMM_NULL) return;
  const std::optional<group::Group> group = call.reordered ? std::nullopt : known(call.comm);
  if (!group || PMPI_Comm_size(*call.made, &size) != MPI_SUCCESS || size > group->size()) return leave(call.by, *call.made);
  keep(call.by, *call.made, group::front(*group, size));
} catch (const std::exception&) {
  leave(call.by, *call.made);
}

void part_of(const char* call, MPI_Comm made, MPI_Comm parent, const int* remain) noexcept try {
  if (made == MPI_COMM_NULL) return;
  const std::optional<group::Group> group = known(parent);
  const std::optional<group::Group> found = group ? part(*group, parent, remain) : std::nullopt;
  if (!found) return leave(call, made);
  keep(call, made, *found);
} catch (const std::exception&) {
  leave(call, made);
}

void of_group(const Made& call) noexcept {
  if (*call.made == MPI_COMM_NULL) return;
  if (const auto found = believed(call.group)) return keep(call.by, *call.made, *found);
  leave(call.by, *call.made);
}

}  // namespace heddle::mpi::communicators
