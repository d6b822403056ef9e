// engine/window/window.cpp: follows the epochs of a window, and answers whether a target allows an
// access.
#include "engine/window/window.hpp"

#include <sched.h>

#include <mutex>
#include <utility>

#include "engine/base/wait.hpp"

namespace heddle::engine {

Window::Window(std::vector<Target> targets, std::vector<int> places, WindowCounters& mine, int me)
    : targets_(std::move(targets)),
      places_(std::move(places)),
      index_(places_.size(), -1),
      mine_(mine),
      my_place_(places_[static_cast<std::size_t>(me)]),
      states_(targets_.size()) {
  int next = 0;
  for (const Target& each : targets_) index_[static_cast<std::size_t>(each.rank)] = next++;
}

void Window::fenced(bool opens) noexcept {
  const std::lock_guard guard(lock_);
  mine_.fences.store(++fences_, std::memory_order_release);
  if (epoch_ != Epoch::given_up) epoch_ = opens ? Epoch::fence : Epoch::none;
}

void Window::locked(int rank, bool checked) noexcept {
  const std::lock_guard guard(lock_);
  if (epoch_ == Epoch::given_up) return;
  epoch_ = Epoch::locks;
  if (const int at = find(rank); at >= 0) state(at).lock = checked ? Lock::asked : Lock::held;
}

void Window::unlocked(int rank) noexcept {
  const std::lock_guard guard(lock_);
  if (const int at = find(rank); at >= 0) state(at).lock = Lock::none;
}

void Window::all_locked(bool checked) noexcept {
  const std::lock_guard guard(lock_);
  if (epoch_ == Epoch::given_up) return;
  epoch_ = Epoch::all;
  checked_ = checked;
  ++number_;
}

void Window::all_unlocked() noexcept {
  const std::lock_guard guard(lock_);
  if (epoch_ == Epoch::all) epoch_ = Epoch::none;
}

void Window::started(std::span<const int> ranks) noexcept {
  const std::lock_guard guard(lock_);
  if (epoch_ == Epoch::given_up) return;
  epoch_ = Epoch::start;
  ++number_;
  for (const int rank : ranks) {
    const int at = find(rank);
    if (at < 0) continue;
    state(at).started_in = number_;
    ++state(at).starts;
  }
}

void Window::completed() noexcept {
  const std::lock_guard guard(lock_);
  if (epoch_ == Epoch::start) epoch_ = Epoch::none;
}

void Window::posted(std::span<const int> ranks) noexcept {
  const std::lock_guard guard(lock_);
  for (const int rank : ranks) {
    const int place =
        rank >= 0 && static_cast<std::size_t>(rank) < places_.size() ? places_[static_cast<std::size_t>(rank)] : -1;
    if (place < 0) continue;
    WindowCounters::Counter& posts = mine_.posts[place];
    posts.store(posts.load(std::memory_order_relaxed) + 1, std::memory_order_release);
  }
}

void Window::give_up() noexcept {
  const std::lock_guard guard(lock_);
  epoch_ = Epoch::given_up;
}

Permission Window::permission(int index) noexcept {
  using Kind = Permission::Kind;
  const std::lock_guard guard(lock_);
  const State& there = state(index);
  switch (epoch_) {
    case Epoch::fence:
      return {.kind = Kind::counted, .counter = &target(index).counters->fences, .least = fences_};
    case Epoch::locks:
      if (there.lock == Lock::none) return {};
      return {.kind = there.lock == Lock::held ? Kind::granted : Kind::asked, .passive = true};
    case Epoch::all:
      return {.kind = !checked_ || there.held_in == number_ ? Kind::granted : Kind::asked, .passive = true};
    case Epoch::start:
      if (there.started_in != number_) return {};
      return {.kind = Kind::counted, .counter = &target(index).counters->posts[my_place_], .least = there.starts};
    case Epoch::none:
    case Epoch::given_up:
      break;
  }
  return {};
}

bool Window::in_fence_epoch() noexcept {
  const std::lock_guard guard(lock_);
  return epoch_ == Epoch::fence;
}

void Window::lock_is_held(int index) noexcept {
  const std::lock_guard guard(lock_);
  State& there = state(index);
  if (epoch_ == Epoch::all) there.held_in = number_;
  if (there.lock == Lock::asked) there.lock = Lock::held;
}

bool comes_soon(const Permission& permission, bool crowded, void (*progress)() noexcept) noexcept {
  constexpr int spins = 4096;  // about as long as an operation of the library with holes
  constexpr int yields = 64;
  const int turns = (crowded ? 0 : spins) + yields;
  for (int turn = 0; permission.counter->load(std::memory_order_acquire) < permission.least; ++turn) {
    if (turn >= turns) return false;
    if (turn < turns - yields) {
      relax();
    } else {
      progress();
      sched_yield();
    }
  }
  return true;
}

}  // namespace heddle::engine
