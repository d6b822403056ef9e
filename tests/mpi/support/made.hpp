// Communicators that tests make, and whether Heddle knows who is in them.
//
//   const Made odd = split(comm, rank_in(comm) % 2, 0);              freed at the end of the scope
//   expect_right(odd, "MPI_Comm_split", Known::asked);               every rank is who the host says; a message arrives
#pragma once

#include <functional>
#include <string>
#include <utility>

#include "support/known_group.hpp"

namespace heddle::test {

/// Freed at the end of the scope.
class Made {
 public:
  Made() = default;
  explicit Made(const std::function<void(MPI_Comm*)>& make) { make(&comm_); }
  Made(Made&& other) noexcept : comm_(std::exchange(other.comm_, MPI_COMM_NULL)) {}
  Made& operator=(Made&& other) noexcept {
    std::swap(comm_, other.comm_);
    return *this;
  }
  Made(const Made&) = delete;
  Made& operator=(const Made&) = delete;
  ~Made() {
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
  }
  operator MPI_Comm() const { return comm_; }  // NOLINT(google-explicit-constructor)

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

inline int rank_in(MPI_Comm comm) {
  int rank = 0;
  MPI_Comm_rank(comm, &rank);
  return rank;
}
inline int size_of(MPI_Comm comm) {
  int size = 0;
  MPI_Comm_size(comm, &size);
  return size;
}

/// MPI_COMM_NULL, too, is right.
void expect_right(MPI_Comm comm, const std::string& what, Known wanted = Known::either);

Made with_comm(const std::function<int(MPI_Comm*)>& make);
Made split(MPI_Comm comm, int color, int key);

/// Even ranks against odd ones, the odd ones in reverse. Of two ranks and more.
Made bridge(MPI_Comm comm);

}  // namespace heddle::test
