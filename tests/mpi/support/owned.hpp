// Communicators and groups that a test makes, freed at the end of the scope. MPICH has one C type
// for both, so Kind tells them apart.
#pragma once

#include <gtest/gtest.h>
#include <mpi.h>

#include <functional>
#include <utility>

namespace heddle::test {

struct Communicator {
  using Handle = MPI_Comm;
  static Handle none() { return MPI_COMM_NULL; }
  static void free(Handle comm) { MPI_Comm_free(&comm); }
};

struct Members {
  using Handle = MPI_Group;
  static Handle none() { return MPI_GROUP_NULL; }
  static void free(Handle group) {
    if (group != MPI_GROUP_EMPTY) MPI_Group_free(&group);
  }
};

template <class Kind>
class Owned {
 public:
  using Handle = typename Kind::Handle;

  Owned() = default;
  explicit Owned(const std::function<int(Handle*)>& make) { EXPECT_EQ(make(&handle_), MPI_SUCCESS); }
  Owned(Owned&& other) noexcept : handle_(std::exchange(other.handle_, Kind::none())) {}
  Owned& operator=(Owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (handle_ != Kind::none()) Kind::free(handle_);
  }
  operator Handle() const { return handle_; }  // NOLINT(google-explicit-constructor)

 private:
  Handle handle_ = Kind::none();
};

}  // namespace heddle::test
