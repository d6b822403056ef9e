// threads/picked.hpp: picks some handles of a row for a call that takes a whole row, and puts them
// back afterwards.
//
//   Picked<MPI_Request, MPI_Status> others(count, requests, [&](int i) { return !ours[i]; });
//   if (!others) ...                                                                        // no memory
//   error = others.call(requests, statuses, [](int n, MPI_Request* them, MPI_Status* theirs) {
//     return PMPI_Waitall(n, them, theirs);
//   });
#pragma once

#include "threads/staging_pool.hpp"

namespace heddle::threads {

template <class Handle, class Status>
class Picked {
 public:
  /// @param is  bool(int): true picks the handle. Not called if count is 0.
  template <class Is>
  Picked(int count, const Handle* row, const Is& is) : places_(count), handles_(count), statuses_(count) {
    if (!*this) return;
    for (int i = 0; i < count; ++i)
      if (is(i)) {
        places_[size_] = i;
        handles_[size_++] = row[i];
      }
  }
  /// False: memory is short.
  explicit operator bool() const { return places_ && handles_ && statuses_; }

  /// Calls `all` with the picked handles and their statuses, which begin as the row's. If none is
  /// picked, it calls nothing and returns 0.
  /// @param statuses  Those of the row. Null: the caller wants none; `all` still gets an array.
  template <class All>
  int call(Handle* row, Status* statuses, const All& all) {
    if (size_ == 0) return 0;
    for (int k = 0; statuses && k < size_; ++k) statuses_[k] = statuses[places_[k]];
    const Back back{*this, row};
    const int result = all(size_, handles_.get(), statuses_.get());
    for (int k = 0; statuses && k < size_; ++k) statuses[places_[k]] = statuses_[k];
    return result;
  }

 private:
  /// Puts the handles back into the row, even if `all` throws.
  struct Back {
    Picked& picked;
    Handle* row;
    ~Back() {
      for (int k = 0; k < picked.size_; ++k) row[picked.places_[k]] = picked.handles_[k];
    }
  };

  int size_ = 0;
  Scratch<int> places_;
  Scratch<Handle> handles_;
  Scratch<Status> statuses_;
};

}  // namespace heddle::threads
