// mpi/requests/request_table.hpp: the requests that Heddle still has to do something for, by their
// handles. An empty table costs a call one load.
//
//   if (requests::table.empty()) return PMPI_Wait(request, status);
//   if (Pending* pending = requests::table.find(*request)) ...
//
// The newest short receives of a process with one thread are kept in order, outside of the hash
// table. Most programs complete all of them by the next MPI_Wait, MPI_Test or MPI_Waitall, which
// then needs no hashing (p2p/landed_row.hpp). Any other question puts them into the hash table
// first.
//
// A request in the table must be unique. Receives are, and so are sends that have not completed. If
// a send completes at once, MPICH and Open MPI hand out a handle that other sends have, too: see
// track_unless_done().
#pragma once

#include <cstdint>
#include <mutex>

#include "mpi/requests/pending.hpp"
#include "threads/locked_table.hpp"

namespace heddle::mpi::requests {

/// A row of requests about which a thread asks the host, and which nobody has looked up (poll.hpp).
struct Unread {
  /// True: the handle is in the row.
  [[nodiscard]] bool has(MPI_Request handle) const noexcept {
    constexpr int step = 32;  // so many comparisons at once
    int i = 0;
    for (; i + step <= count; i += step) {
      bool found = false;
      for (int k = 0; k < step; ++k) found |= handles[i + k] == handle;
      if (found) return true;
    }
    for (; i < count; ++i)
      if (handles[i] == handle) return true;
    return false;
  }

  int count;
  const MPI_Request* handles;
  Pending** entries;        ///< Heddle's requests of the row, once `known` is not negative.
  int known = -1;           ///< How many are Heddle's. Negative: nobody has looked.
  std::uint64_t last = 0;   ///< Serial number of the last entry that the table had when the host was asked.
  Unread* older = nullptr;  ///< The thread that asked before.
};

class alignas(64) Table : threads::LockedTable<MPI_Request, Pending> {
  using Base = threads::LockedTable<MPI_Request, Pending>;

 public:
  constexpr Table() = default;
  [[nodiscard]] bool empty() const noexcept { return Base::empty() && newest_count_ == 0; }
  using Base::erase;
  /// The handle may be in the table already. Then the host has completed the request and given its
  /// handle out again, before the completing thread has erased it.
  [[gnu::always_inline]] void insert(MPI_Request handle, Pending* pending) noexcept {
    hash_newest();
    const std::lock_guard guard(lock());
    if (unread_) [[unlikely]]
      read_before(handle);
    pending->record.serial = ++serial_;
    put(handle, pending);
  }
  /// Call it before the host is asked for a request.
  using Base::room;

  // The newest receives. Only for a process with one thread in MPI.

  static constexpr int most_newest = 32;  ///< The hash table has room for them without growing.
  /// Keeps a receive that is the host's own request, and for which nothing is left to do if it has
  /// brought data.
  [[gnu::always_inline]] void add_newest(MPI_Request handle, Pending* pending) noexcept {
    if (newest_count_ == most_newest || !Base::empty() || unread_ || !late()) [[unlikely]]
      return insert(handle, pending);
    newest_[newest_count_++] = pending;
  }
  /// True: there are some, and the host may be asked before they are looked up.
  [[nodiscard]] bool any_newest() const noexcept { return newest_count_ != 0 && late(); }
  /// The place of a handle among them. Negative: it is none of them.
  [[nodiscard]] int place_of_newest(MPI_Request handle) const noexcept {
    int place = newest_count_ - 1;
    while (place >= 0 && newest_[place]->record.handle != handle) --place;
    return place;
  }
  Pending* take_newest(int place) noexcept {
    Pending* const taken = newest_[place];
    --newest_count_;
    for (int k = place; k < newest_count_; ++k) newest_[k] = newest_[k + 1];
    return taken;
  }
  /// If all of them are in a row of handles, in order, takes them out. Lists entries and indices,
  /// and returns their number. 0: there are others.
  int take_newest(int count, const MPI_Request* handles, Pending** entries, int* indices) noexcept {
    int known = 0;
    for (int i = 0; i < count && known < newest_count_; ++i)
      if (handles[i] == newest_[known]->record.handle) {
        entries[known] = newest_[known];
        indices[known++] = i;
      }
    if (known < newest_count_) return 0;
    newest_count_ = 0;
    return known;
  }

  /// Whether requests may be looked up after the host has completed some of them (poll.hpp).
  [[nodiscard]] bool late() const noexcept { return reasons_.load(std::memory_order_relaxed) == 0; }
  /// One reason more, or less, to look them up before: the host may call the program back while it
  /// completes requests, and the program leave that call by longjmp; or it must not be asked about
  /// just any of them as it is.
  void count_reason(int by) noexcept { reasons_.fetch_add(by, std::memory_order_relaxed); }

  // The host is asked about a row that is not looked up. From the instant at which it completes a
  // request, until its entry is erased, the handle may become another operation's. With several
  // threads any of them may begin that operation; with one, a procedure that the host calls back.
  // So whatever looks for a handle meanwhile leaves out entries of these rows, or has the rows
  // looked up first.

  void enter(Unread& row) noexcept {
    hash_newest();
    const std::lock_guard guard(lock());
    row.last = serial_;
    row.older = unread_;
    unread_ = &row;
  }
  /// The host has returned, and nobody needs an entry. Returns row.known.
  int leave(Unread& row) noexcept {
    const std::lock_guard guard(lock());
    take_out(row);
    return row.known;
  }
  /// The host has returned, and all entries are needed. Returns row.known.
  int leave_read(Unread& row) noexcept;
  /// The host has completed `n` requests: entries[k] becomes the entry of request indices[k].
  /// Returns how many there are. Negative: a thread has looked up the whole row already.
  int leave_with(Unread& row, int n, const int* indices, Pending** entries) noexcept;

  /// True: an operation is in progress. Persistent requests also stay here between two operations.
  [[nodiscard]] bool any_active() noexcept {
    hash_newest();
    return any([](const Pending& each) { return each.record.active; });
  }
  /// Visits each operation in progress.
  template <class Visit>
  void for_each_active(const Visit& visit) {
    hash_newest();
    static_cast<void>(any([&](const Pending& each) {
      if (each.record.active) visit(each);
      return false;
    }));
  }
  [[nodiscard]] Pending* find(MPI_Request handle) noexcept {
    hash_newest();
    return Base::find(handle, [&](const Pending& pending) { return meant(pending) && !is_of(unread_, handle, pending); });
  }
  /// Finds the entries of a row of handles. Returns how many there are.
  int find(int count, const MPI_Request* handles, Pending** found) noexcept {
    hash_newest();
    const std::lock_guard guard(lock());
    if (unread_) [[unlikely]]
      read(unread_);
    return entries_of(count, handles, found, meant);
  }
  using Base::Spot;
  /// find() for a short row: lists the entries one after the other.
  int find(int count, const MPI_Request* handles, Spot* found) noexcept {
    hash_newest();
    const std::lock_guard guard(lock());
    if (unread_) [[unlikely]]
      read(unread_);
    return spots_of(count, handles, found, meant);
  }

 private:
  std::atomic<int> reasons_{0};  // beside what empty() looks at
  Unread* unread_ = nullptr;     // the newest
  std::uint64_t serial_ = 0;
  int newest_count_ = 0;  // if it is not 0, the hash table is empty
  Pending* newest_[most_newest]{};

  void hash_newest() noexcept {
    if (newest_count_ != 0) [[unlikely]]
      hash_all_newest();
  }
  void hash_all_newest() noexcept;

  // With the lock.

  /// True: the entry is of one of these rows, so another request has the handle by now.
  static bool is_of(const Unread* newest, MPI_Request handle, const Pending& pending) noexcept {
    for (const Unread* each = newest; each; each = each->older)
      if (each->known < 0 && pending.record.serial <= each->last && each->has(handle)) return true;
    return false;
  }
  /// Looks up this row and all older ones. An entry is of the oldest row that has its handle.
  void read(Unread* newest) noexcept;
  /// Does so if the handle is in the table: it is about to become another operation's.
  void read_before(MPI_Request handle) noexcept;
  void take_out(Unread& row) noexcept {
    Unread** at = &unread_;
    while (*at != &row) at = &(*at)->older;
    *at = row.older;
  }

  /// False: a call is completing it. Then the handle means a request of another thread that Heddle
  /// does not know.
  static constexpr auto meant = [](const Pending& pending) noexcept {
    return !pending.record.completing.load(std::memory_order_relaxed);
  };
};

/// The table of the process.
inline constinit Table table;

}  // namespace heddle::mpi::requests
