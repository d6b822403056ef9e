// mpi/handles/deferred.hpp: what hangs on a communicator and must be freed by calls of MPI. Includes nothing of Heddle.
//
// A host may call a delete callback from its progress engine, with its locks held: MPICH does when the last operation of a
// communicator ends after MPI_Comm_free, and a call of MPI there ends the job ("Resource deadlock avoided"). So callbacks of
// Heddle only put things here, without a lock, and calls that make or free communicators see to them.
//
//   int freed(MPI_Comm, int, void* attribute, void*) { deferred::add(static_cast<Seat*>(attribute)); return MPI_SUCCESS; }
//   ...
//   deferred::free_all();                           // in MPI_Comm_free, after the host's
#pragma once

#include <atomic>

namespace heddle::mpi {

class Deferred {
 public:
  virtual ~Deferred() = default;
  /// Frees itself; may call MPI.
  virtual void free() = 0;

 private:
  friend struct DeferredList;
  Deferred* next_ = nullptr;
};

struct DeferredList {
  static inline constinit std::atomic<Deferred*> first{nullptr};

  static void add(Deferred* item) noexcept {
    item->next_ = first.load(std::memory_order_relaxed);
    while (!first.compare_exchange_weak(item->next_, item, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  /// In the order they came.
  static void free_all() {
    if (!first.load(std::memory_order_relaxed)) return;
    Deferred* in_order = nullptr;
    for (Deferred* each = first.exchange(nullptr, std::memory_order_acquire); each;) {
      Deferred* const next = each->next_;
      each->next_ = in_order;
      in_order = each;
      each = next;
    }
    while (in_order) {
      Deferred* const next = in_order->next_;
      in_order->free();
      in_order = next;
    }
  }
};

namespace deferred {
inline void add(Deferred* item) noexcept { DeferredList::add(item); }
inline void free_all() { DeferredList::free_all(); }
}  // namespace deferred

}  // namespace heddle::mpi
