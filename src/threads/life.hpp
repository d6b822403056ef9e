// threads/life.hpp: begin and end of a service of the process. It wakes up with its first user, and
// is over with the last. Any thread may call.
//
//   constinit Life life;
//   life.begin([] { return read_settings().enabled; });      // MPI_Init, MPI_Session_init
//   if (life.awake([] { ... })) ...                          // before any user, the first question wakes it
//   life.end([] { free_all(); });                            // MPI_Finalize, MPI_Session_finalize
#pragma once

#include <atomic>
#include <mutex>

namespace heddle::threads {

class Life {
 public:
  constexpr Life() = default;

  /// Adds a user.
  /// @param wake  Called if the service sleeps or is over. False: it stays off until it is over.
  template <class Wake>
  void begin(const Wake& wake) {
    users_.fetch_add(1);
    const std::lock_guard lock(changing_);
    if (state_ == State::asleep || state_ == State::over) state_ = wake() ? State::awake : State::off;
  }

  /// Takes a user away.
  /// @param clean_up  Called when the last user is gone, while the service is still awake.
  template <class CleanUp>
  void end(const CleanUp& clean_up) {
    if (users_.fetch_sub(1) > 1) return;
    const std::lock_guard lock(changing_);
    users_ = 0;  // end() may come without begin()
    if (state_ == State::awake) clean_up();
    state_ = State::over;
  }

  /// True if the service is awake. @param wake  As in begin(), but only called if it sleeps.
  template <class Wake>
  bool awake(const Wake& wake) {
    if (state_.load(std::memory_order_acquire) == State::asleep) {
      const std::lock_guard lock(changing_);
      if (state_ == State::asleep) state_ = wake() ? State::awake : State::off;
    }
    return state_.load(std::memory_order_acquire) == State::awake;
  }

  /// True if it has been awake or off.
  [[nodiscard]] bool has_begun() const noexcept { return state_.load(std::memory_order_acquire) != State::asleep; }

 private:
  enum class State : int { asleep, awake, off, over };
  std::atomic<State> state_{State::asleep};
  std::atomic<int> users_{0};
  std::mutex changing_;
};

}  // namespace heddle::threads
