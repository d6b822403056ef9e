// mpi/requests/row.cpp: arrays of requests.
#include <algorithm>
#include <utility>

#include "mpi/requests/completion.hpp"
#include "mpi/types/arguments.hpp"

namespace heddle::mpi::requests {
namespace {

int class_of(int code) {
  int kind = MPI_SUCCESS;
  return PMPI_Error_class(code, &kind) == MPI_SUCCESS ? kind : MPI_ERR_UNKNOWN;
}

}  // namespace

Row::Row(int count, MPI_Request* requests, Read when) noexcept
    : count_(count), program_(requests), handles_(requests), found_(count), before_(when == Read::late ? count : 1) {
  if (!found_) return;
  // With several threads a handle may become another's as soon as the host has completed it; with one, only if the host calls
  // the program back, and that begins an operation: whatever looks into the table then has the row read before.
  unread_ = when == Read::late && before_ && !called_back.load(std::memory_order_relaxed) && !unread_row &&
            !Pending::any_indirect() && !threads::concurrent.load(std::memory_order_relaxed);
  if (unread_)
    std::copy_n(requests, count, before_.get());
  else
    read(requests);
}

void Row::read_late() noexcept {
  if (!unread_) return;
  unread_ = false;
  if (unread_row == this) unread_row = nullptr;
  read(before_.get());
}

void read_row() noexcept { unread_row->read_late(); }

void Row::read(const MPI_Request* requests) noexcept {
  if (table.find(count_, requests, found_.get()) == 0) return;
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
  for (int i = 0; i < count_; ++i) handles_[i] = found_[i] ? asked(*found_[i], requests[i]) : requests[i];
}

void Row::advance() noexcept {
  for (int i = 0; i < count_; ++i)
    if (found_[i]) found_[i]->advance(false);
}

Row::~Row() {
  if (lent_) {
    give_back();
    read_late();
  }
  for (int i = 0; known_ > 0 && i < count_; ++i)
    if (Pending* pending = found_[i]) {
      const MPI_Request host = asked(*pending, program_[i]);
      // A persistent one keeps its handle, whatever has become of it: it is asked about again.
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

void Row::raise(bool host_failed) {
  if (!host_failed) raise_new(error_, MPI_SUCCESS, where_);
}

void Row::give_back() noexcept {
  lent_ = false;
  if (unread_) unread_row = nullptr;
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
  if (unread_ && error == MPI_SUCCESS) {
    Pending* pending = index >= 0 && index < count_ ? table.find(before_[index]) : nullptr;
    return pending && pending->record.active ? requests::settle(*pending, status, error) : error;
  }
  read_late();
  Pending* pending = index >= 0 && index < count_ ? found_[index] : nullptr;
  if (!pending || (error != MPI_SUCCESS && remains(*pending, asked(*pending, program_[index])))) return error;
  const int code = settle(index, status, error);
  raise(error != MPI_SUCCESS);
  return code;
}

int Row::settle_some(int n, const int* indices, MPI_Status* statuses, int error) {
  read_late();
  const bool host_failed = error != MPI_SUCCESS;
  if (host_failed && class_of(error) != MPI_ERR_IN_STATUS) return error;
  bool we_failed = false;
  for (int k = 0; k < n; ++k) {
    const int index = indices ? indices[k] : k;
    Pending* pending = found_[index];
    if (!pending) continue;
    const int code = host_failed ? statuses[k].MPI_ERROR : MPI_SUCCESS;
    if (code != MPI_SUCCESS && (class_of(code) == MPI_ERR_PENDING || remains(*pending, asked(*pending, program_[index]))))
      continue;
    const int result = settle(index, statuses[k], code);
    if (result == code) continue;
    if (!host_failed && !we_failed)
      for (int each = 0; each < n; ++each) statuses[each].MPI_ERROR = MPI_SUCCESS;
    we_failed = true;
    statuses[k].MPI_ERROR = result;
  }
  raise(host_failed);
  return we_failed && !host_failed ? MPI_ERR_IN_STATUS : error;
}

}  // namespace heddle::mpi::requests
