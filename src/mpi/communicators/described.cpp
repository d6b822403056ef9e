// mpi/communicators/described.cpp: the table, and what makes it believed.
#include "mpi/communicators/described.hpp"

#include <mutex>
#include <unordered_map>

#include "interposition/interposition.hpp"
#include "interposition/object.hpp"
#include "layout/lasting.hpp"

namespace heddle::mpi::communicators {
namespace {

std::mutex& table_lock() {
  static constinit std::mutex mutex;
  return mutex;
}
std::unordered_map<std::uint64_t, group::Group>& table() {
  static layout::Lasting<std::unordered_map<std::uint64_t, group::Group>> groups;
  return *groups;
}

/// Whether somebody frees groups past Heddle. Once so, for ever so: what was freed meanwhile nobody knows.
bool freed_past_us() {
  static constinit std::mutex looking;
  static constinit unsigned long long looked_at = 0;
  static constinit bool past = false;
  const std::lock_guard guard(looking);
  const unsigned long long loaded = interposition::objects_ever_loaded();
  if (past || loaded == looked_at) return past;
  past = interposition::called_past_us("PMPI_Group_free");
  looked_at = loaded;
  return past;
}

/// Freed at the end of the scope.
struct World {
  World() { PMPI_Comm_group(MPI_COMM_WORLD, &handle); }
  ~World() {
    if (handle != MPI_GROUP_NULL) PMPI_Group_free(&handle);
  }
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  MPI_Group handle = MPI_GROUP_NULL;
};

/// Whether the host has the same number of members, and in the same places this process, the first, the middle and the last.
bool agrees(MPI_Group handle, const group::Group& group) {
  int size = 0;
  int rank = 0;
  int me = 0;
  if (PMPI_Group_size(handle, &size) != MPI_SUCCESS || size != group.size()) return false;
  if (size == 0) return true;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &me) != MPI_SUCCESS || PMPI_Group_rank(handle, &rank) != MPI_SUCCESS) return false;
  const group::Rank ours = group.rank_of(me);
  if (rank != (ours == group::undefined ? MPI_UNDEFINED : ours)) return false;
  const World world;
  constexpr int samples = 3;
  const int places[samples] = {0, size / 2, size - 1};
  int theirs[samples];
  if (PMPI_Group_translate_ranks(handle, samples, places, world.handle, theirs) != MPI_SUCCESS) return false;
  for (int i = 0; i < samples; ++i)
    if (theirs[i] != group.world_rank(places[i])) return false;
  return true;
}

}  // namespace

void describe(MPI_Group made, const group::Group& group) noexcept try {
  if (made == MPI_GROUP_NULL || made == MPI_GROUP_EMPTY) return;
  const std::lock_guard guard(table_lock());
  table().insert_or_assign(threads::key_of(made), group);
} catch (const std::bad_alloc&) {
  forget(made);
}

void forget(MPI_Group handle) noexcept {
  const std::lock_guard guard(table_lock());
  table().erase(threads::key_of(handle));
}

std::optional<group::Group> described(MPI_Group handle) noexcept {
  if (handle == MPI_GROUP_EMPTY) return group::Group();
  const std::lock_guard guard(table_lock());
  const auto found = table().find(threads::key_of(handle));
  return found == table().end() ? std::nullopt : std::optional(found->second);
}

std::optional<group::Group> believed(MPI_Group handle) noexcept try {
  std::optional<group::Group> group = described(handle);
  if (group && (freed_past_us() || !agrees(handle, *group))) group.reset();
  return group;
} catch (const std::bad_alloc&) {
  return {};  // the host will be asked
}

}  // namespace heddle::mpi::communicators
