// threads/lingering.hpp: a list of entries whose operations end long after the program has freed
// their handles. One thread at a time looks at them.
//
//   class Pending : public Lingers<Pending> { ... };
//   constinit Lingering<Pending> freed;
//   freed.add(pending);
//   if (freed.any()) freed.look([](Pending& each) { return each.has_ended(); });           // deletes these entries
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

  /// True if there are entries. Costs one load.
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  /// Takes an entry over. May be called within a look, too.
  void add(Entry* entry) noexcept {
    Entry*& next = entry->Lingers<Entry>::next_;
    next = added_.load(std::memory_order_relaxed);
    while (!added_.compare_exchange_weak(next, entry, std::memory_order_seq_cst, std::memory_order_relaxed)) continue;
    any_.store(true);  // every thread sees this after the push: see sweep()
  }
  /// Deletes entries that have `ended`. If another thread is looking, this one waits, but not for
  /// ever, because the other may wait for this one. Within a look of this thread, it does nothing.
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
  /// Like look(), but waits for the other thread as long as needed. Entries that have not ended are
  /// then dropped: neither looked at again nor deleted. any() still counts them.
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

  /// Marks the thread that looks. It is an object, because `ended` may throw.
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
