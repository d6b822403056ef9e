// threads/deferred.hpp: a list of objects of communicators that calls of MPI must free later.
//
// A host may call a delete callback from its progress engine, with its locks held. MPICH does so
// when the last operation of a communicator ends after MPI_Comm_free. A call of MPI there ends the
// job ("Resource deadlock avoided"). So Heddle's callbacks only add objects to this list, without a
// lock. Calls that make or free communicators then free the objects.
//
//   int freed(MPI_Comm, int, void* attribute, void*) {
//     Deferred::add(static_cast<Communicator*>(attribute));
//     return MPI_SUCCESS;
//   }
//   ...
//   Deferred::free_all();                            // in MPI_Comm_free, after the host's
#pragma once

#include <atomic>
#include <utility>

namespace heddle::threads {

class Deferred {
 public:
  virtual ~Deferred() = default;
  /// Frees the object. It may call MPI.
  virtual void free() = 0;

  static void add(Deferred* item) noexcept {
    item->next_ = first_.load(std::memory_order_relaxed);
    while (!first_.compare_exchange_weak(item->next_, item, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  /// Frees all objects, in the order of add().
  static void free_all() {
    Deferred* in_order = nullptr;
    for (Deferred* each = first_.exchange(nullptr, std::memory_order_acquire); each;)
      in_order = std::exchange(each, std::exchange(each->next_, in_order));
    while (in_order) std::exchange(in_order, in_order->next_)->free();
  }

 private:
  static inline constinit std::atomic<Deferred*> first_{nullptr};
  Deferred* next_ = nullptr;
};

}  // namespace heddle::threads
