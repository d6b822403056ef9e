// threads/lingering.hpp: entries that have something to end before they go, long after whoever
// named them. They are looked at by one thread at a time.
//
//   class Pending : public Lingers<Pending> { ... };
//   constinit Lingering<Pending> freed;
//   freed.add(pending);
//   if (freed.any()) freed.look([](Pending& each) { return each.has_ended(); });           // those are deleted
#pragma once

#include <pthread.h>
#include <sched.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <utility>

namespace heddle::threads {

template <class Entry>
class Lingering;

/// Base of an Entry.
template <class Entry>
class Lingers {
  friend Lingering<Entry>;
  Entry* next_ = nullptr;
};

template <class Entry>
class Lingering {
 public:
  constexpr Lingering() = default;
  Lingering(const Lingering&) = delete;
  Lingering& operator=(const Lingering&) = delete;

  /// One load.
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  /// Takes it over. Also within a look.
  void add(Entry* entry) noexcept {
    Entry*& next = entry->Lingers<Entry>::next_;
    next = added_.load(std::memory_order_relaxed);
    while (!added_.compare_exchange_weak(next, entry, std::memory_order_seq_cst, std::memory_order_relaxed)) continue;
    any_.store(true);  // after the push, for every thread: sweep()
  }
  /// Deletes those that have `ended`. While another thread is at it, waits for that thread; but not for ever, for the other
  /// may wait for this one. Within a look of its own: nothing.
  template <class Ended>
  void look(const Ended& ended) {
    using std::chrono::steady_clock;
    if (at_it_.load(std::memory_order_relaxed) == pthread_self()) return;
    std::unique_lock guard(lock_, std::try_to_lock);
    for (const auto last = steady_clock::now() + patience; !guard && steady_clock::now() < last;) {
      sched_yield();
      static_cast<void>(guard.try_lock());
    }
    if (guard) sweep(ended);
  }
  /// The same, waiting for the other thread. What has not ended is never looked at again, nor deleted; any() still tells of it.
  template <class Ended>
  void give_up(const Ended& ended) {
    const std::lock_guard guard(lock_);
    sweep(ended);
    any_.store(any_.load(std::memory_order_relaxed) || added_.load(std::memory_order_relaxed), std::memory_order_relaxed);
    first_ = nullptr;
    added_.store(nullptr, std::memory_order_relaxed);
  }

 private:
  static constexpr std::chrono::milliseconds patience{50};

  /// While a thread looks, for an `ended` may throw.
  class Looking {
   public:
    explicit Looking(Lingering& list) noexcept : list_(list) { list_.at_it_.store(pthread_self(), std::memory_order_relaxed); }
    ~Looking() { list_.at_it_.store({}, std::memory_order_relaxed); }
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;

   private:
    Lingering& list_;
  };

  /// New entries go before the others.
  void take_added() noexcept {
    Entry* const added = added_.exchange(nullptr, std::memory_order_acquire);
    if (!added) return;
    Entry* last = added;
    while (Entry* const next = last->Lingers<Entry>::next_) last = next;
    last->Lingers<Entry>::next_ = std::exchange(first_, added);
  }

  template <class Ended>
  void sweep(const Ended& ended) {
    const Looking looking(*this);
    take_added();
    for (Entry** at = &first_; *at;) {
      Entry* const each = *at;
      Entry*& next = each->Lingers<Entry>::next_;
      if (ended(*each)) {
        *at = next;
        delete each;
      } else {
        at = &next;
      }
    }
    any_.store(first_ != nullptr);
    if (added_.load()) any_.store(true);
  }

  std::mutex lock_;
  std::atomic<pthread_t> at_it_{};  // the thread that looks
  std::atomic<Entry*> added_{nullptr};
  Entry* first_ = nullptr;
  std::atomic<bool> any_{false};
};

}  // namespace heddle::threads
