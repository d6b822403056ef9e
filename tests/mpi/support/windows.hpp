// Windows for tests of one-sided communication: four kinds, with four kinds of epochs.
//
//   Exposed exposed(Kind::allocate, bytes, team);
//   in_epochs(Sync::lock, team, exposed.win, [&](int to, bool passive) {
//     succeeds(MPI_Put(row.data(), 100, MPI_INT, to, exposed.displacement(to, 64), 1, column(100, 3), exposed.win));
//   });
#pragma once

#include <string>
#include <vector>

#include "support/build_type.hpp"
#include "support/pmpi_spy.hpp"
#include "support/ranks.hpp"
#include "support/reference.hpp"

namespace heddle::test {

/// The size of most windows.
constexpr Bytes region = Bytes{1} << 16;

enum class Kind { allocate, shared, create, dynamic };
constexpr Kind kinds[] = {Kind::allocate, Kind::shared, Kind::create, Kind::dynamic};
enum class Sync { fence, lock, lock_all, start };
constexpr Sync syncs[] = {Sync::fence, Sync::lock, Sync::lock_all, Sync::start};

inline std::string text(Kind kind, Sync sync) {
  constexpr const char* of_kind[] = {"allocate", "allocate_shared", "create", "create_dynamic"};
  constexpr const char* of_sync[] = {"fence", "lock", "lock_all", "start"};
  return std::string(of_kind[static_cast<int>(kind)]) + ", " + of_sync[static_cast<int>(sync)];
}

/// A window, and this rank's memory in it. Odd ranks have a displacement unit of 8 bytes.
class Exposed {
 public:
  Exposed(Kind kind, Bytes size, const Team& team)
      : kind_(kind), size_(size), unit_(unit_of(team.rank)), addresses_(static_cast<std::size_t>(team.size)) {
    if (kind == Kind::create || kind == Kind::dynamic) own_.resize(static_cast<std::size_t>(size));
    base_ = own_.data();
    switch (kind) {
      case Kind::allocate:
        succeeds(MPI_Win_allocate(size, unit_, MPI_INFO_NULL, team.comm, &base_, &win));
        break;
      case Kind::shared:
        succeeds(MPI_Win_allocate_shared(size, unit_, MPI_INFO_NULL, team.comm, &base_, &win));
        break;
      case Kind::create:
        succeeds(MPI_Win_create(base_, size, unit_, MPI_INFO_NULL, team.comm, &win));
        break;
      case Kind::dynamic:
        succeeds(MPI_Win_create_dynamic(MPI_INFO_NULL, team.comm, &win));
        succeeds(MPI_Win_attach(win, base_, size));
    }
    MPI_Aint address = 0;
    MPI_Get_address(base_, &address);
    MPI_Allgather(&address, 1, MPI_AINT, addresses_.data(), 1, MPI_AINT, team.comm);
  }
  ~Exposed() {
    if (kind_ == Kind::dynamic) MPI_Win_detach(win, base_);
    MPI_Win_free(&win);
  }
  Exposed(const Exposed&) = delete;
  Exposed& operator=(const Exposed&) = delete;

  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] Bytes size() const { return size_; }
  /// @param offset  Bytes, a multiple of 8.
  [[nodiscard]] MPI_Aint displacement(int rank, Bytes offset) const {
    return kind_ == Kind::dynamic ? addresses_[static_cast<std::size_t>(rank)] + offset : offset / unit_of(rank);
  }
  MPI_Win win = MPI_WIN_NULL;

 private:
  static int unit_of(int rank) { return rank % 2 == 0 ? 1 : 8; }
  Kind kind_;
  Bytes size_;
  int unit_;
  std::vector<MPI_Aint> addresses_;
  Memory own_;
  std::byte* base_ = nullptr;
};

/// Calls `each(target, passive)` for all targets, in epochs.
/// @param assertion  Of locks. With MPI_MODE_NOCHECK all locks are shared, so that none conflicts.
template <class Each>
void in_epochs(Sync sync, const Team& team, MPI_Win win, int assertion, const Each& each) {
  MPI_Group all = MPI_GROUP_NULL;
  switch (sync) {
    case Sync::fence:
      succeeds(MPI_Win_fence(MPI_MODE_NOPRECEDE, win));
      for (int to = 0; to < team.size; ++to) each(to, false);
      succeeds(MPI_Win_fence(MPI_MODE_NOSUCCEED, win));
      break;
    case Sync::lock:
      MPI_Barrier(team.comm);
      for (int i = 0; i < team.size; ++i) {
        const int to = (team.rank + i) % team.size;
        const bool excludes = i % 2 == 0 && assertion == 0;
        succeeds(MPI_Win_lock(excludes ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, to, assertion, win));
        each(to, true);
        succeeds(MPI_Win_unlock(to, win));
      }
      MPI_Barrier(team.comm);
      break;
    case Sync::lock_all:
      MPI_Barrier(team.comm);
      succeeds(MPI_Win_lock_all(assertion, win));
      for (int to = 0; to < team.size; ++to) each(to, true);
      succeeds(MPI_Win_unlock_all(win));
      MPI_Barrier(team.comm);
      break;
    case Sync::start:
      MPI_Win_get_group(win, &all);
      succeeds(MPI_Win_post(all, 0, win));
      succeeds(MPI_Win_start(all, 0, win));
      MPI_Group_free(&all);
      for (int to = 0; to < team.size; ++to) each(to, false);
      succeeds(MPI_Win_complete(win));
      succeeds(MPI_Win_wait(win));
  }
}

template <class Each>
void in_epochs(Sync sync, const Team& team, MPI_Win win, const Each& each) {
  in_epochs(sync, team, win, 0, each);
}

/// In windows of the program's memory, Heddle carries out accesses under a lock only if the program
/// says that no lock conflicts.
inline int assertion_for(Kind kind) { return kind == Kind::create ? MPI_MODE_NOCHECK : 0; }

/// A column of `rows` ints, `wide` ints apart.
inline Committed column(int rows, int wide) {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_vector(rows, 1, wide, MPI_INT, &type);
  return Committed(type);
}

/// The host has seen so many derived datatypes in one-sided calls.
inline long seen_by_host() { return pmpi_spy::derived("Put") + pmpi_spy::derived("Get"); }

}  // namespace heddle::test
