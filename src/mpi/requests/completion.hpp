// mpi/requests/completion.hpp: from the host's completion of a request to the program's.
//
//   MPI_Request host = asked(*pending, *request);            // the handle, or the request that stands for it
//   const int error = PMPI_Wait(&host, status);
//   return settle(*pending, status, error);                 // the rest of the work; the entry is gone, or inactive again
#pragma once

#include "mpi/process/process.hpp"
#include "mpi/requests/freed.hpp"
#include "mpi/requests/poll.hpp"
#include "mpi/requests/request_table.hpp"
#include "mpi/requests/short_row.hpp"
#include "threads/staging_pool.hpp"

namespace heddle::mpi::requests {

/// Puts an operation's request into the table. Call room() before the host is asked for the
/// request.
[[gnu::always_inline]] inline void track(MPI_Request handle, Pending* pending) {
  pending->record.handle = handle;
  table.insert(handle, pending);
  look_after_freed();
}

/// track() for a receive that Table::add_newest() takes.
[[gnu::always_inline]] inline void track_newest(MPI_Request handle, Pending* pending) {
  pending->record.handle = handle;
  table.add_newest(handle, pending);
  look_after_freed();
}

/// Tracks a request that need not be unique. If the host has completed it at once, this finishes
/// the operation instead. (A request that is not complete is unique. MPICH 5.0.2 has one handle for
/// all sends that complete at once, and one for trivial collectives. Open MPI 5.0.11 has
/// ompi_request_empty for both.)
void track_unless_done(MPI_Request handle, Pending* pending);

/// Raises an error of a call for several requests, or of a question about a request. `where`: the
/// request's communicator.
inline Raised raise_of_several(int error, const communicators::Hold& where) {
  return traits().raises_several_on_self ? raise_new(error, MPI_COMM_NULL) : raise_new(error, where);
}

/// The request that the host is asked about.
inline MPI_Request asked(const Pending& pending, MPI_Request handle) {
  return pending.record.substituted ? pending.record.inner : handle;
}
/// The address of that request, to which the host writes the new handle.
inline MPI_Request* asked(Pending& pending, MPI_Request* handle) {
  return pending.record.substituted ? &pending.record.inner : handle;
}

/// The entry of a handle whose operation is in progress. Null: the request is null, inactive or not
/// known, and is the host's.
inline Pending* active(const MPI_Request* request) noexcept {
  if (!request || table.empty()) return nullptr;
  Pending* pending = table.find(*request);
  return pending && pending->record.active ? pending : nullptr;
}

/// Called before and after the host's completing call. From the first instruction of that call, the
/// handle may become another thread's.
inline void completing(Pending& pending, bool now) noexcept {
  if (!pending.record.persistent) pending.record.completing.store(now, std::memory_order_relaxed);
}

/// `host` is the handle that the host's completing call has left. True: an error has left the
/// request incomplete.
inline bool remains(const Pending& pending, MPI_Request host) {
  return host != MPI_REQUEST_NULL && (!pending.record.persistent || pending.record.substituted);
}

/// An error handler of the program has thrown out of the host's completing call. If the host has
/// completed the request, Heddle forgets it, as the host does.
void after_throw(Pending& pending, MPI_Request host) noexcept;

/// Lives during the host's completing call of one request.
class Completing {
 public:
  Completing(Pending& pending, MPI_Request* request) noexcept : pending_(&pending), host_(asked(pending, request)) {
    completing(pending, true);
  }
  ~Completing() {
    if (pending_) after_throw(*pending_, *host_);
  }
  Completing(const Completing&) = delete;
  Completing& operator=(const Completing&) = delete;

  [[nodiscard]] MPI_Request* host() const noexcept { return host_; }
  /// The host has returned.
  void over() noexcept { pending_ = nullptr; }

 private:
  Pending* pending_;
  MPI_Request* host_;
};

/// The host has completed the operation with `status` (not null; its error field is left alone) and
/// `error`. Finishes the operation, and forgets the request unless it is persistent. Returns the
/// error code. If it is not the host's, it has been raised on the operation's communicator.
int settle(Pending& pending, MPI_Status& status, int error);

/// The host says that the operation is complete, but keeps the request. Finishes the operation now
/// and keeps the status. Returns the error code. If it is not the host's, the caller raises it.
/// Several threads may ask at once.
int finish_early(Pending& pending, MPI_Status& status, int error) noexcept;

/// Raises the error of a call that fails before it has done anything, because there is no memory
/// for its rows.
Raised no_memory();

using threads::Scratch;

/// settle() without raising. The caller raises the error on `where`.
int settle_quietly(Pending& pending, MPI_Status& status, int error, communicators::Hold& where) noexcept;

/// An array argument of requests, as the host gets it.
class Row {
 public:
  /// The caller has seen that the table is not empty, and count > 0.
  Row(int count, MPI_Request* requests) noexcept;
  /// @param room  Room for the entries, which lives as long as the row.
  Row(const ShortRow& found, Pending** room) noexcept;
  /// The requests of a poll that the host has been asked about already. The row lasts no longer
  /// than the poll.
  explicit Row(Poll& poll) noexcept;
  /// Of `n` requests of the poll that the host has completed without an error. The caller settles
  /// the whole row at once.
  Row(const Poll& poll, int n) noexcept;
  /// Requests that have not been settled are known again. If an error handler of the program has
  /// thrown and a request is gone, the row forgets the request.
  ~Row();
  Row(const Row&) = delete;
  Row& operator=(const Row&) = delete;

  /// ours(): Heddle has work for some of the requests. readable(): there was memory to find out.
  [[nodiscard]] bool ours() const { return known_ > 0; }
  [[nodiscard]] bool readable() const { return found_ && !failed_; }
  [[nodiscard]] bool all_ours() const { return known_ == count_; }
  /// True: the host must be asked again and again, because some requests need advance().
  [[nodiscard]] bool advances() const { return advances_; }
  /// True: Heddle's requests in the row are all brief, and the host knows them by the program's
  /// handles.
  [[nodiscard]] bool is_brief() const { return brief_ && !advances_ && handles_ == program_; }
  void advance() noexcept;

  /// The entry of request i, or null.
  Pending* operator[](int i) { return found_[i]; }
  /// Settles that entry, and takes it out of the row. An error is kept for raise().
  int settle(int i, MPI_Status& status, int error);
  /// A call raises one error, whatever has failed in it. This is the host's, or else the first
  /// error of settle(). Returns the latter as the host would.
  Raised raise(bool host_failed);
  /// raise() for a call for several requests: under some hosts, the handler hears
  /// MPI_ERR_IN_STATUS.
  Raised raise_in_status(bool host_failed);
  /// The handles for the host to look at.
  MPI_Request* handles() { return handles_; }
  /// The handles for the host to complete. Call give_back() before the program sees the array
  /// again.
  MPI_Request* lend() {
    lent_ = true;
    return handles_;
  }
  void give_back() noexcept;

  // Call these after the host's call and give_back(). They return the program's error code.
  // `status` and `statuses` are real statuses, not the IGNORE constants.
  int settle_one(int index, MPI_Status& status, int error);
  /// `indices` null: all requests of the row, in order.
  int settle_some(int n, const int* indices, MPI_Status* statuses, int error);
  /// Does so where the host keeps the requests (MPI_Request_get_status_some).
  int finish_some(int n, const int* indices, MPI_Status* statuses, int error);

 private:
  /// Marks the entries before the host is asked about them.
  void prepare() noexcept;
  template <class Complete>
  int each_of(int n, const int* indices, MPI_Status* statuses, int error, const Complete& complete);

  int count_;
  int known_ = 0;
  bool failed_ = false;
  bool lent_ = false;
  int error_ = MPI_SUCCESS;  // to be raised
  communicators::Hold where_;
  bool advances_ = false;
  bool brief_ = true;
  MPI_Request* program_;
  MPI_Request* handles_;
  Pending** found_;  // null: no memory
  threads::StagingBuffer own_;
  threads::StagingBuffer substitutes_;
};

}  // namespace heddle::mpi::requests
