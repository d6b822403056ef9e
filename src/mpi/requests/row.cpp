// mpi/requests/row.cpp: completes an array of requests, some of Heddle's and some of the host's.
#include <algorithm>
#include <utility>

#include "mpi/process/process.hpp"
#include "mpi/requests/completion.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi::requests {
namespace {

int class_of(int code) {
  int kind = MPI_SUCCESS;
  return PMPI_Error_class(code, &kind) == MPI_SUCCESS ? kind : MPI_ERR_UNKNOWN;
}

}  // namespace

/// complete(index, status, the host's code) returns the program's code.
template <class Complete>
int Row::each_of(int n, const int* indices, MPI_Status* statuses, int error, const Complete& complete) {
  const bool host_failed = error != MPI_SUCCESS;
  if (host_failed && class_of(error) != MPI_ERR_IN_STATUS) return error;
  bool we_failed = false;
  for (int k = 0; k < n; ++k) {
    const int index = indices ? indices[k] : k;
    if (!found_[index]) continue;
    const int code = host_failed ? statuses[k].MPI_ERROR : MPI_SUCCESS;
    const int result = complete(index, statuses[k], code);
    if (result == code) continue;
    if (!host_failed && !we_failed)
      for (int each = 0; each < n; ++each) statuses[each].MPI_ERROR = MPI_SUCCESS;
    we_failed = true;
    statuses[k].MPI_ERROR = result;
  }
  const Raised raised = raise_in_status(host_failed);
  return raised != MPI_SUCCESS ? MPI_ERR_IN_STATUS : error;
}

Row::Row(int count, MPI_Request* requests) noexcept
    : count_(count),
      program_(requests),
      handles_(requests),
      found_(own_.reserve(static_cast<layout::Bytes>(sizeof(Pending*)) * count) ? reinterpret_cast<Pending**>(own_.data())
                                                                                : nullptr) {
  if (found_ && table.find(count_, requests, found_) > 0) prepare();
}

Row::Row(const ShortRow& found, Pending** room) noexcept
    : count_(found.count), program_(found.requests), handles_(found.requests), found_(room) {
  std::fill_n(room, count_, nullptr);
  for (int k = 0; k < found.known; ++k) room[found.spots[k].index] = found.spots[k].entry;
  if (found.known > 0) prepare();
}

void Row::prepare() noexcept {
  bool substituted = false;
  for (int i = 0; i < count_; ++i) {
    Pending*& pending = found_[i];
    if (pending && !pending->record.active) pending = nullptr;
    if (!pending) continue;
    ++known_;
    completing(*pending, true);
    brief_ = brief_ && pending->is_brief();
    if (pending->advances()) {
      advances_ = true;
      pending->advance(false);
    }
    substituted |= pending->record.substituted;
  }
  if (!substituted) return;
  if (!substitutes_.reserve(static_cast<layout::Bytes>(sizeof(MPI_Request)) * count_)) {
    failed_ = true;
    return;
  }
  handles_ = reinterpret_cast<MPI_Request*>(substitutes_.data());
  for (int i = 0; i < count_; ++i) handles_[i] = found_[i] ? asked(*found_[i], program_[i]) : program_[i];
}

Row::Row(Poll& poll) noexcept
    : count_(poll.count), known_(poll.take()), program_(poll.program_), handles_(poll.program_), found_(poll.entries) {}

Row::Row(const Poll& poll, int n) noexcept : count_(n), known_(n), program_(nullptr), handles_(nullptr), found_(poll.entries) {}

void Row::advance() noexcept {
  for (int i = 0; i < count_; ++i)
    if (found_[i]) found_[i]->advance(false);
}

Row::~Row() {
  if (lent_) give_back();
  for (int i = 0; known_ > 0 && i < count_; ++i)
    if (Pending* pending = found_[i]) {
      const MPI_Request host = asked(*pending, program_[i]);
      // A persistent request keeps its handle, also when it is complete. The next call asks about
      // it again.
      if (host == MPI_REQUEST_NULL)
        after_throw(*pending, host);
      else
        completing(*pending, false);
    }
}

int Row::settle(int i, MPI_Status& status, int error) {
  communicators::Hold where;
  const int code = settle_quietly(*std::exchange(found_[i], nullptr), status, error, where);
  if (code != error && error_ == MPI_SUCCESS) {
    error_ = code;
    where_ = std::move(where);
  }
  return code;
}

Raised Row::raise_in_status(bool host_failed) {
  if (error_ != MPI_SUCCESS && traits().raises_in_status) error_ = MPI_ERR_IN_STATUS;
  return raise(host_failed);
}

Raised Row::raise(bool host_failed) { return host_failed ? Raised() : raise_of_several(error_, where_); }

void Row::give_back() noexcept {
  lent_ = false;
  if (handles_ == program_) return;
  for (int i = 0; i < count_; ++i) {
    Pending* pending = found_[i];
    if (pending && pending->record.substituted)
      pending->record.inner = handles_[i];
    else
      program_[i] = handles_[i];
  }
}

int Row::settle_one(int index, MPI_Status& status, int error) {
  Pending* pending = index >= 0 && index < count_ ? found_[index] : nullptr;
  if (!pending || (error != MPI_SUCCESS && remains(*pending, asked(*pending, program_[index])))) return error;
  const int code = settle(index, status, error);
  const Raised raised = raise(error != MPI_SUCCESS);
  return error_ != MPI_SUCCESS && error == MPI_SUCCESS ? int{raised} : code;
}

int Row::settle_some(int n, const int* indices, MPI_Status* statuses, int error) {
  return each_of(n, indices, statuses, error, [&](int index, MPI_Status& status, int code) {
    const bool open = code != MPI_SUCCESS &&
                      (class_of(code) == MPI_ERR_PENDING || remains(*found_[index], asked(*found_[index], program_[index])));
    return open ? code : settle(index, status, code);
  });
}

int Row::finish_some(int n, const int* indices, MPI_Status* statuses, int error) {
  return each_of(n, indices, statuses, error, [&](int index, MPI_Status& status, int code) {
    if (code != MPI_SUCCESS && class_of(code) == MPI_ERR_PENDING) return code;
    Pending& pending = *found_[index];
    const int result = finish_early(pending, status, code);
    if (result != code && error_ == MPI_SUCCESS) {
      error_ = result;
      where_ = pending.communicator();
    }
    return result;
  });
}

int Poll::take() noexcept {
  if (!left_) table.leave_read(*this);
  left_ = true;
  return known;
}

bool Poll::take(int n, const int* indices, Pending** found) noexcept {
  left_ = true;
  return table.leave_with(*this, n, indices, found) >= 0;
}

void Poll::leave() noexcept {
  if (over_) {
    left_ = true;
    if (table.leave(*this) <= 0) return;
  }
  const Row row(*this);
}

int Poll::settle_one(int index, MPI_Status& status, int error) {
  Pending* pending = nullptr;
  const int n = index >= 0 && index < count ? 1 : 0;
  if (error != MPI_SUCCESS || !take(n, &index, &pending)) return Row(*this).settle_one(index, status, error);
  return pending ? settle(*pending, status, error) : error;
}

int Poll::settle_some(int n, const int* indices, MPI_Status* statuses, int error) {
  if (error != MPI_SUCCESS || !take(n, indices, entries)) return Row(*this).settle_some(n, indices, statuses, error);
  return Row(*this, n).settle_some(n, nullptr, statuses, error);
}

void Table::hash_all_newest() noexcept {
  const int count = std::exchange(newest_count_, 0);
  for (int k = 0; k < count; ++k) insert(newest_[k]->record.handle, newest_[k]);
}

void Table::read(Unread* newest) noexcept {
  if (!newest) return;
  read(newest->older);
  if (newest->known >= 0) return;
  const auto of_row = [newest](const Pending& each) { return meant(each) && each.record.serial <= newest->last; };
  newest->known = entries_of(newest->count, newest->handles, newest->entries, of_row);
  for (int i = 0; i < newest->count; ++i)
    if (newest->entries[i]) completing(*newest->entries[i], true);
}

void Table::read_before(MPI_Request handle) noexcept {
  if (entry_of(handle, meant)) read(unread_);
}

int Table::leave_read(Unread& row) noexcept {
  const std::lock_guard guard(lock());
  read(&row);
  take_out(row);
  return row.known;
}

int Table::leave_with(Unread& row, int n, const int* indices, Pending** entries) noexcept {
  constexpr int few = 4;
  const std::lock_guard guard(lock());
  take_out(row);
  if (row.known >= 0) return -1;
  if (n > few) read(row.older);  // it costs less than a look into each of them for each request
  int known = 0;
  for (int k = 0; k < n; ++k) {
    const MPI_Request handle = row.handles[indices[k]];
    entries[k] = entry_of(handle, [&](const Pending& each) {
      return meant(each) && each.record.serial <= row.last && !is_of(row.older, handle, each);
    });
    if (!entries[k]) continue;
    completing(*entries[k], true);
    ++known;
  }
  return known;
}

}  // namespace heddle::mpi::requests

namespace heddle::mpi {

Pending::Indirect::Indirect() noexcept { requests::table.count_reason(1); }
Pending::Indirect::~Indirect() { requests::table.count_reason(-1); }

}  // namespace heddle::mpi
