// threads/lingering.hpp: a list of entries whose operations end long after the program has freed
// their handles. One thread at a time looks at an entry, and holds no lock meanwhile: other threads
// look at the other entries.
//
//   class Pending : public Lingers<Pending> { ... };
//   constinit Lingering<Pending> freed;
//   freed.add(pending);
//   if (freed.any()) freed.look([](Pending& each) { return each.has_ended(); });           // deletes these entries
#pragma once

#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <mutex>
#include <new>

#include "threads/lock.hpp"

namespace heddle::threads {

template <class Entry>
class Lingering;

/// Base of an Entry.
template <class Entry>
class Lingers {
  friend Lingering<Entry>;
  Entry* before_ = nullptr;
  Entry* next_ = nullptr;
};

template <class Entry>
class Lingering {
 public:
  using Clock = std::chrono::steady_clock;

  constexpr Lingering() = default;
  Lingering(const Lingering&) = delete;
  Lingering& operator=(const Lingering&) = delete;

  /// True if there are entries. Costs one load.
  [[nodiscard]] bool any() const noexcept { return any_.load(std::memory_order_relaxed); }
  /// Takes it over, behind all others. Also within a look.
  void add(Entry* entry) noexcept {
    const std::lock_guard guard(lock_);
    before(*entry) = last_;
    next(*entry) = nullptr;
    (last_ ? next(*last_) : first_) = entry;
    last_ = entry;
    any_.store(true, std::memory_order_relaxed);
  }
  /// Deletes those that have `ended`, the oldest first. If another thread looks at some, waits for
  /// that thread; but not for ever, for the other may wait for this one. Within a look of its own:
  /// nothing. False: some were left out, or there is no memory to look.
  /// An `ended` may throw, or leave by longjmp. Its entry then stays in the list.
  /// @param since  When the first of several looks began: other threads wait no longer for all of
  /// them than for one.
  template <class Ended>
  [[gnu::noinline]] bool look(const Ended& ended, Clock::time_point since = Clock::now()) {
    return !looks(__builtin_frame_address(0)) && sweep(ended, patience, since);
  }
  /// Like look(), but waits longer for the other thread, and does not mind a look of its own, which
  /// a longjmp may have left. Entries that have not ended are then dropped: neither looked at again
  /// nor deleted. any() still counts them.
  template <class Ended>
  void give_up(const Ended& ended) {
    leave_own_entries();
    sweep(ended, long_patience, Clock::now());
    const std::lock_guard guard(lock_);
    first_ = last_ = nullptr;
  }
  /// Visits all, the oldest first, with the list's lock held: a few instructions each.
  template <class Visit>
  void for_each(const Visit& visit) {
    const std::lock_guard guard(lock_);
    for (Entry* each = first_; each; each = next(*each)) visit(*each);
  }

 private:
  static constexpr std::chrono::milliseconds patience{50};
  static constexpr std::chrono::seconds long_patience{10};

  static Entry*& before(Entry& entry) noexcept { return entry.Lingers<Entry>::before_; }
  static Entry*& next(Entry& entry) noexcept { return entry.Lingers<Entry>::next_; }

  /// The place of a thread in the list. It is not on the stack, because a longjmp ends a look
  /// without its destructor. Later frames then overwrite the stack.
  struct Place {
    Place* other = nullptr;
    Entry* at = nullptr;
    const void* frame;  ///< Of the look.
    pthread_t thread = pthread_self();
    Clock::time_point since;
    [[nodiscard]] bool is_own() const noexcept { return pthread_equal(thread, pthread_self()) != 0; }
    /// True: the thread has left that look by a longjmp, for the frame of the look is not above the
    /// frame `now` of the thread that asks. The stack grows downwards. False on stacks of fibres.
    [[nodiscard]] bool left(const void* now) const noexcept {
      return is_own() && std::less_equal<>()(frame, now) && on_stack_of_thread(frame, now);
    }
  };

  static bool on_stack_of_thread(const void* one, const void* other) noexcept {
    pthread_attr_t attributes;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0) return false;
    void* low = nullptr;
    std::size_t size = 0;
    const bool known = pthread_attr_getstack(&attributes, &low, &size) == 0;
    pthread_attr_destroy(&attributes);
    const auto within = [&](const void* frame) {
      return !std::less<>()(frame, static_cast<const void*>(low)) &&
             std::less<>()(frame, static_cast<const void*>(static_cast<const std::byte*>(low) + size));
    };
    return known && within(one) && within(other);
  }

  /// A thread goes over the list. Its end leaves the list as it is, for an `ended` may throw.
  class Look {
   public:
    Look(Lingering& list, const void* frame, Clock::time_point since) noexcept
        : list_(list), place_(new (std::nothrow) Place{.frame = frame, .since = since}) {
      if (!place_) return;
      const std::lock_guard guard(list_.lock_);
      place_->other = list_.places_;
      list_.places_ = place_;
    }
    ~Look() {
      if (!place_) return;
      const std::lock_guard guard(list_.lock_);
      Place** at = &list_.places_;
      while (*at != place_) at = &(*at)->other;
      list_.erase(at);
    }
    Look(const Look&) = delete;
    Look& operator=(const Look&) = delete;
    /// False: no memory.
    explicit operator bool() const noexcept { return place_ != nullptr; }

    /// The first entry at which no other thread looks.
    Entry* first() noexcept {
      const std::lock_guard guard(list_.lock_);
      passed_ = false;
      return take(list_.first_);
    }
    /// The one behind that. If the last one is `gone`, it is no longer in the list.
    Entry* next(bool gone) noexcept {
      const std::lock_guard guard(list_.lock_);
      if (!place_->at) return nullptr;  // the list was given up meanwhile
      Entry& last = *place_->at;
      Entry* const behind = Lingering::next(last);
      if (gone) list_.unlink(last);
      return take(behind);
    }
    /// True: the last round has left out an entry at which another thread looks, and both threads
    /// began less than `longest` ago.
    [[nodiscard]] bool goes_again(Clock::duration longest) const noexcept {
      return passed_ && Clock::now() - std::min(place_->since, others_) < longest;
    }

   private:
    friend Lingering;
    Entry* take(Entry* from) noexcept {
      place_->at = nullptr;
      for (; from; from = Lingering::next(*from)) {
        const Place* const other = list_.place_at(*from);
        if (!other) break;
        others_ = passed_ ? std::min(others_, other->since) : other->since;
        passed_ = true;
      }
      return place_->at = from;
    }

    bool passed_ = false;
    Clock::time_point others_{};  ///< The oldest look that has the passed entries.
    Lingering& list_;
    Place* const place_;
  };

  // With the lock.

  void unlink(Entry& entry) noexcept {
    (before(entry) ? next(*before(entry)) : first_) = next(entry);
    (next(entry) ? before(*next(entry)) : last_) = before(entry);
    any_.store(first_ != nullptr, std::memory_order_relaxed);
  }
  const Place* place_at(const Entry& entry) const noexcept {
    const Place* each = places_;
    while (each && each->at != &entry) each = each->other;
    return each;
  }
  void erase(Place** at) noexcept {
    Place* const gone = *at;
    *at = gone->other;
    delete gone;
  }

  /// This thread is within a look. Forgets those that it has left by a longjmp.
  bool looks(const void* frame) noexcept {
    const std::lock_guard guard(lock_);
    bool within = false;
    for (Place** at = &places_; *at;) {
      if ((*at)->left(frame)) {
        erase(at);
        continue;
      }
      within |= (*at)->is_own();
      at = &(*at)->other;
    }
    return within;
  }
  void leave_own_entries() noexcept {
    const std::lock_guard guard(lock_);
    for (Place* each = places_; each; each = each->other)
      if (each->is_own()) each->at = nullptr;
  }
  /// Has a frame of its own, which a look within this look compares with its own.
  template <class Ended>
  [[gnu::noinline]] bool sweep(const Ended& ended, Clock::duration longest, Clock::time_point since) {
    Look mine(*this, __builtin_frame_address(0), since);
    if (!mine) return false;
    for (;; sched_yield()) {
      for (Entry* each = mine.first(); each;) {
        Entry* const last = each;
        const bool gone = ended(*last);
        each = mine.next(gone);
        if (gone) delete last;
      }
      if (!mine.goes_again(longest)) return !mine.passed_;
    }
  }

  Lock lock_;
  Place* places_ = nullptr;
  Entry* first_ = nullptr;
  Entry* last_ = nullptr;
  std::atomic<bool> any_{false};
};

}  // namespace heddle::threads
