// mpi/requests/poll.hpp: an array of requests that Heddle looks up only after the host has
// completed some of them. A program that polls finds nothing complete most of the time. If it
// yields at each poll, it comes with cold caches, too, so a poll touches as little memory as it
// can.
//
//   if (Poll::possible()) {
//     PollRoom<Poll::few> room;                     // or LongPollRoom room(count), if there are more
//     Poll poll(count, requests, room);
//     error = PMPI_Testsome(count, requests, &n, indices, statuses);
//     poll.over();
//     return n == 0 ? error : poll.settle_some(n, indices, statuses, error);
//   }
#pragma once

#include <cstring>

#include "mpi/requests/request_table.hpp"
#include "threads/staging_pool.hpp"

namespace heddle::mpi::requests {

/// Room for `size` requests. Only the entries in use are touched: a stack that grows by pages meets
/// colder ones.
template <int size>
struct PollRoom {
  MPI_Request before[size];
  Pending* found[size];  ///< Set only if the requests have been looked up.
};

/// Room for any number of requests. Long arrays come from the pool, not from the stack. False: the
/// pool has no memory.
class LongPollRoom {
  threads::Scratch<MPI_Request> handles_;
  threads::Scratch<Pending*> entries_;

 public:
  explicit LongPollRoom(int count) noexcept : handles_(count), entries_(count), before(handles_.get()), found(entries_.get()) {}
  explicit operator bool() const { return before && found; }

  MPI_Request* const before;
  Pending** const found;
};

class Poll {
 public:
  static constexpr int few = 32;

  /// The caller has seen that the table is not empty, and count > 0. If a poll is not possible, a
  /// Row looks the requests up before.
  static bool possible() noexcept { return table.late(); }

  /// @param room  Room for at least `count` requests.
  template <class Room>
  Poll(int count, MPI_Request* requests, Room& room) noexcept
      : count_(count), program_(requests), before_(room.before), found_(room.found) {
    copy(requests, count, before_);
    table.set_unread(this);
  }
  /// If the host's call has thrown, Heddle forgets the requests that the call has completed, as the
  /// host does.
  ~Poll() {
    if (!over_ || known_ > 0) leave();
  }
  Poll(const Poll&) = delete;
  Poll& operator=(const Poll&) = delete;

  /// The host has returned.
  void over() noexcept {
    table.set_unread(nullptr);
    over_ = true;
  }
  /// The host has completed request `index`, or none (MPI_UNDEFINED). `status` is a real status,
  /// not MPI_STATUS_IGNORE. Returns the program's error code.
  int settle_one(int index, MPI_Status& status, int error);
  /// The host has completed `n` requests. Only these are looked up.
  int settle_some(int n, const int* indices, MPI_Status* statuses, int error);

 private:
  /// For short arrays. A copy of variable length begins too slowly.
  static void copy(const MPI_Request* from, int count, MPI_Request* to) noexcept {
    for (; count >= 4; count -= 4, from += 4, to += 4) std::memcpy(to, from, 4 * sizeof *from);
    if (count & 2) {
      std::memcpy(to, from, 2 * sizeof *from);
      from += 2, to += 2;
    }
    if (count & 1) *to = *from;
  }
  friend class Row;
  friend class Table;
  /// Looks the entries up, if that has not been done, and marks them. Returns how many there are.
  int read() noexcept;
  /// Looks up `n` entries: found_[k] becomes the entry of request indices[k].
  int read(int n, const int* indices) noexcept;
  void leave() noexcept;

  int count_;
  int known_ = -1;  // -1: not looked up yet
  bool over_ = false;
  MPI_Request* program_;
  MPI_Request* before_;
  Pending** found_;
};

}  // namespace heddle::mpi::requests
