// mpi/requests/generalized.hpp: one request of the program for several operations. It is a
// generalized request (MPI-5.0 §13.2), which Heddle itself completes.
//
//   class Both final : public Generalized<Pending> {
//     bool carry_on(bool wait) noexcept override { ... }       // true: all is done
//   };
//   if (begin_generalized(request) == MPI_SUCCESS) requests::track(*request, both);
#pragma once

#include <mutex>

#include "mpi/requests/pending.hpp"

namespace heddle::mpi {

/// Returns the host's error code.
inline int begin_generalized(MPI_Request* request) {
  const auto tell = [](void* /*state*/, MPI_Status* status) -> int {
    PMPI_Status_set_elements_x(status, MPI_BYTE, 0);
    PMPI_Status_set_cancelled(status, 0);
    status->MPI_SOURCE = MPI_UNDEFINED;
    status->MPI_TAG = MPI_UNDEFINED;
    return MPI_SUCCESS;
  };
  const auto freed = [](void* /*state*/) -> int { return MPI_SUCCESS; };
  const auto cancelled = [](void* /*state*/, int /*complete*/) -> int { return MPI_SUCCESS; };
  return PMPI_Grequest_start(tell, freed, cancelled, nullptr, request);
}

/// Base: Pending or Persistent. Each start of a Persistent has a generalized request of its own
/// (record.inner).
template <class Base>
class Generalized : public Base {
 public:
  [[nodiscard]] bool advances() const noexcept final { return true; }
  void advance(bool wait) noexcept final {
    std::unique_lock guard(lock_, std::defer_lock);
    if (wait)
      guard.lock();
    else if (!guard.try_lock())
      return;  // another thread is at it
    if (over_ || !carry_on(wait)) return;
    over_ = true;
    PMPI_Grequest_complete(this->record.substituted ? this->record.inner : this->record.handle);
  }

 protected:
  /// The operations begin. They may begin again when they are over.
  void begun() noexcept { over_ = false; }

 private:
  /// Carries the operations on as far as they go now, or to the end if `wait`. Called by one thread
  /// at a time. True: they are over.
  virtual bool carry_on(bool wait) noexcept = 0;

  [[no_unique_address]] Pending::Indirect counted_;
  std::mutex lock_;
  bool over_ = true;
};

}  // namespace heddle::mpi
