// threads/picked.hpp: some of a row of handles, one after the other, for a call that takes all of a
// row; then each is back in its place.
//
//   Picked<MPI_Request, MPI_Status> others(count, requests, [&](int i) { return !ours[i]; });
//   if (!others) ...                                                                        // no memory
//   error = others.call(requests, statuses, [](int n, MPI_Request* them, MPI_Status* theirs) {
//     return PMPI_Waitall(n, them, theirs);
//   });
#pragma once

#include "threads/pool.hpp"

namespace heddle::threads {

template <class Handle, class Status>
class Picked {
 public:
  /// @param is  bool(int): whether that one is wanted. Not asked where count is 0.
  template <class Is>
  Picked(int count, const Handle* row, const Is& is) : places_(count), handles_(count), statuses_(count) {
    if (!*this) return;
    for (int i = 0; i < count; ++i)
      if (is(i)) {
        places_[size_] = i;
        handles_[size_++] = row[i];
      }
  }
  /// False: no memory.
  explicit operator bool() const { return places_ && handles_ && statuses_; }

  /// `all` of them, and of their statuses, which begin as those of the row do. Where none is wanted nothing is called: 0.
  /// @param statuses  Of the row; null: nobody wants them, and `all` gets some all the same.
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
  /// The row gets its handles back, also if `all` throws.
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
