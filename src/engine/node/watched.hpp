// engine/node/watched.hpp: watches descriptors of this process, a few at a time, until their
// receivers fetch the messages (unclaimed.hpp, docs/safety.md). A template parameter describes the
// delivery of a descriptor.
//
//   if (turns.next(peer))
//     if (Watched<Delivery>::Taken taken(watched, peer, message, control); taken) {
//       send(taken->delivery);                                        // a request, and the bytes that it sends
//       taken.watch();                                                // else the place is free again
//     }
//   if (watched.any()) watched.look(delivered, receiver);             // looks at one descriptor each time
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <utility>

#include "engine/node/unclaimed.hpp"

namespace heddle::engine {

/// The first descriptors to a rank are watched, then one of every 61. The number is prime, so that
/// in a repeated row of messages it is not always the same one.
class WatchTurns {
 public:
  static constexpr std::uint8_t first = 8, every = 61;
  /// @param peer  Rank of the node; those of large nodes share counters.
  bool next(int peer) noexcept {
    std::atomic<std::uint8_t>& count = sent_[static_cast<std::size_t>(peer) % sent_.size()];
    const std::uint8_t now = count.load(std::memory_order_relaxed);
    count.store(now + 1 < first + every ? static_cast<std::uint8_t>(now + 1) : first, std::memory_order_relaxed);
    return now < first || now == first + every - 1;
  }

 private:
  std::array<std::atomic<std::uint8_t>, 256> sent_{};
};

/// Delivery: the state that the code that takes a place sets. The tests need it: they have no MPI.
template <class Delivery>
class Watched {
 public:
  static constexpr int most = 16;

  /// A watched descriptor.
  struct Entry {
    int peer = -1;  ///< Its receiver.
    Unclaimed::Suspect message;
    const Control* control = nullptr;
    Delivery delivery{};
    bool suspected = false;  ///< The receiver has been told.

    [[nodiscard]] bool fetched() const noexcept { return claimed(*control, message.generation); }
  };

 private:
  enum class State { free, taken, watched };
  struct Place {
    std::atomic<State> state{State::free};
    Entry entry;
  };

 public:
  /// A place in the table, which is the caller's until watch(). False: all places are in use.
  class Taken {
   public:
    Taken(Watched& all, int peer, const Unclaimed::Suspect& message, const Control* control) noexcept : all_(all) {
      for (Place& each : all.places_) {
        auto state = State::free;
        if (!each.state.compare_exchange_strong(state, State::taken, std::memory_order_acquire)) continue;
        place_ = &each;
        each.entry.peer = peer;
        each.entry.message = message;
        each.entry.control = control;
        each.entry.suspected = false;
        return;
      }
    }
    Taken(const Taken&) = delete;
    Taken& operator=(const Taken&) = delete;
    ~Taken() {
      if (place_) place_->state.store(State::free, std::memory_order_release);
    }
    explicit operator bool() const { return place_ != nullptr; }
    Entry* operator->() { return &place_->entry; }
    /// Called at most once, and as the last use of the place.
    void watch() noexcept {
      std::exchange(place_, nullptr)->state.store(State::watched, std::memory_order_release);
      all_.count_.fetch_add(1, std::memory_order_relaxed);
    }

   private:
    Watched& all_;
    Place* place_ = nullptr;
  };

  [[nodiscard]] bool any() const noexcept { return count_.load(std::memory_order_relaxed) > 0; }

  /// Looks at the next descriptor only: a call must not become slow if many descriptors are not
  /// received for long. One thread looks at a time, and a look begins none within itself:
  /// `delivered` may call back.
  /// @param delivered  bool(Delivery&): whether it has been received.
  /// @param receiver  Unclaimed(int peer): that rank's.
  template <class Delivered, class Receiver>
  void look(const Delivered& delivered, const Receiver& receiver) {
    const Looking now(looking_);
    if (!now.mine) return;
    for (int i = 0; i < most; ++i) {
      Place& each = places_[next_++ % most];
      if (each.state.load(std::memory_order_acquire) != State::watched) continue;
      if (is_over(each.entry, delivered, receiver)) {
        count_.fetch_sub(1, std::memory_order_relaxed);
        each.state.store(State::free, std::memory_order_release);
      }
      break;
    }
  }

  /// Visits each descriptor while no thread looks. False: a thread does.
  template <class Visit>
  bool for_each_alone(const Visit& visit) {
    const Looking now(looking_);
    if (now.mine) for_each(visit);
    return now.mine;
  }

  template <class Visit>
  void for_each(const Visit& visit) {
    for (Place& each : places_)
      if (each.state.load(std::memory_order_acquire) == State::watched) visit(each.entry);
  }

 private:
  /// A look under way. It also ends if `delivered` throws.
  struct Looking {
    explicit Looking(std::atomic_flag& of) noexcept : flag(of), mine(!of.test_and_set(std::memory_order_acquire)) {}
    Looking(const Looking&) = delete;
    Looking& operator=(const Looking&) = delete;
    ~Looking() {
      if (mine) flag.clear(std::memory_order_release);
    }
    std::atomic_flag& flag;
    const bool mine;
  };

  /// True: it need not be watched any longer.
  template <class Delivered, class Receiver>
  static bool is_over(Entry& each, const Delivered& delivered, const Receiver& receiver) {
    if (!delivered(each.delivery)) return false;
    Unclaimed told = receiver(each.peer);
    if (each.fetched()) {
      if (each.suspected) told.clear(each.message);
      return true;
    }
    if (told.uncertain()) return true;
    if (!each.suspected) each.suspected = told.suspect(each.message);
    return false;
  }

  std::array<Place, most> places_{};
  std::atomic<int> count_{0};
  std::atomic_flag looking_;
  unsigned next_ = 0;  ///< Place at which the next look begins.
};

}  // namespace heddle::engine
