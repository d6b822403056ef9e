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

class Poll : Unread {
 public:
  static constexpr int few = 32;

  /// The caller has seen that the table is not empty, and count > 0. If a poll is not possible, a
  /// Row looks the requests up before.
  static bool possible() noexcept { return table.late(); }

  /// @param room  Room for at least `count` requests.
  template <class Room>
  Poll(int n, MPI_Request* requests, Room& room) noexcept : Unread{n, room.before, room.found}, program_(requests) {
    copy(requests, n, room.before);
    table.enter(*this);
  }
  /// If the host's call has thrown, Heddle forgets the requests that the call has completed, as the
  /// host does.
  ~Poll() {
    if (!left_) leave();
  }
  Poll(const Poll&) = delete;
  Poll& operator=(const Poll&) = delete;

  /// The host has returned.
  void over() noexcept { over_ = true; }
  /// The host has completed request `index`, or MPI_UNDEFINED. Returns the program's error code.
  /// @param status  Never MPI_STATUS_IGNORE.
  int settle_one(int index, MPI_Status& status, int error);
  /// The host has completed `n` requests. Only these are looked up.
  int settle_some(int n, const int* indices, MPI_Status* statuses, int error);

 private:
  /// Of what is short, a copy of any length is begun too slowly.
  static void copy(const MPI_Request* from, int n, MPI_Request* to) noexcept {
    for (; n >= 4; n -= 4, from += 4, to += 4) std::memcpy(to, from, 4 * sizeof *from);
    if (n & 2) {
      std::memcpy(to, from, 2 * sizeof *from);
      from += 2, to += 2;
    }
    if (n & 1) *to = *from;
  }
  friend class Row;
  /// All entries, marked, in `entries`; how many there are.
  int take() noexcept;
  /// False: a thread has looked up the whole row.
  bool take(int n, const int* indices, Pending** found) noexcept;
  void leave() noexcept;

  bool over_ = false;
  bool left_ = false;  // the table knows of it no more
  MPI_Request* program_;
};

}  // namespace heddle::mpi::requests
