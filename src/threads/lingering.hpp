// threads/lingering.hpp: entries that have something to end before they go, long after whoever named them. They are looked at
// by one thread at a time. Includes nothing of Heddle.
//
//   class Pending : public Lingers<Pending> { ... };
//   constinit Lingering<Pending> freed;
//   freed.add(pending);
//   if (freed.any()) freed.look([](Pending& each) { return each.has_ended(); });           // those are deleted
#pragma once

#include <atomic>
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
  /// Takes it over.
  void add(Entry* entry) noexcept {
    const std::lock_guard guard(lock_);
    entry->Lingers<Entry>::next_ = std::exchange(first_, entry);
    any_.store(true, std::memory_order_relaxed);
  }
  /// Deletes those that have `ended`. While another thread is at it: nothing.
  template <class Ended>
  void look(const Ended& ended) {
    const std::unique_lock guard(lock_, std::try_to_lock);
    if (guard) sweep(ended);
  }
  /// The same, waiting for the other thread. What has not ended is never looked at again, nor deleted; any() still tells of it.
  template <class Ended>
  void give_up(const Ended& ended) {
    const std::lock_guard guard(lock_);
    sweep(ended);
    first_ = nullptr;
  }

 private:
  template <class Ended>
  void sweep(const Ended& ended) {
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
    any_.store(first_ != nullptr, std::memory_order_relaxed);
  }

  std::mutex lock_;
  Entry* first_ = nullptr;
  std::atomic<bool> any_{false};
};

}  // namespace heddle::threads
