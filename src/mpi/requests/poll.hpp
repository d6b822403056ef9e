// mpi/requests/poll.hpp: an array of requests that nothing is looked up of before the host has completed some of it: a program
// that polls most often finds nothing complete. One that yields at each poll comes with cold caches, too: no more is touched
// than must be. Includes table.hpp.
//
//   if (Poll::possible(count)) {
//     Poll poll(count, requests);
//     error = PMPI_Testsome(count, requests, &n, indices, statuses);
//     poll.over();
//     return n == 0 ? error : Row(poll).settle_some(n, indices, statuses, error);      // completion.hpp
//   }
#pragma once

#include <algorithm>

#include "mpi/requests/table.hpp"

namespace heddle::mpi::requests {

class Poll {
 public:
  /// The caller has seen that the table is not empty, and count > 0. Where it is not possible, a Row looks them up before.
  static bool possible(int count) noexcept { return count <= most && table.late(); }

  Poll(int count, MPI_Request* requests) noexcept : count_(count), program_(requests) {
    std::copy_n(requests, count, before_);
    table.set_unread(this);
  }
  /// If the host's call has thrown, what it has completed is forgotten, as it is by the host.
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
  /// The host has completed request `index`, or MPI_UNDEFINED; `status` is never the IGNORE one. What the program is to hear.
  int settle_one(int index, MPI_Status& status, int error);

 private:
  static constexpr int most = 256;
  friend class Row;
  friend class Table;
  /// Looks the entries up, if nobody has, and marks them; how many there are.
  int read() noexcept;
  void leave() noexcept;

  int count_;
  int known_ = -1;  // nobody has looked
  bool over_ = false;
  MPI_Request* program_;
  MPI_Request before_[most];  // only as many as there are
  Pending* found_[most];      // only if somebody has looked
};

}  // namespace heddle::mpi::requests
