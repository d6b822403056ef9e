// engine/network/shared_fabric.cpp: the lock, the thread, and the order in which both end.
#include "engine/network/shared_fabric.hpp"

#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>
#include <utility>

namespace heddle::engine {
namespace {

/// ns of the thread's first naps while something is under way. The time between two polls of a
/// program is seldom longer.
constexpr std::int64_t shortest_nap = 50'000;

}  // namespace

SharedFabric::~SharedFabric() {
  stop();
  close();
}

bool SharedFabric::open(const std::function<std::unique_ptr<Fabric>()>& make) {
  if (is_open()) return true;
  const std::scoped_lock hold(fabric_lock_);
  if (std::exchange(tried_, true)) return open_.load(std::memory_order_relaxed);
  fabric_ = make();
  if (!fabric_) return false;
  try {
    thread_ = std::thread([this] { keep_going(); });
  } catch (const std::exception&) {
    fabric_.reset();
    throw;
  }
  open_.store(true, std::memory_order_release);
  return true;
}

std::uint32_t SharedFabric::mark() const noexcept {
  return is_open() ? 1U + transport::fabric::mark_of(fabric_->abilities().provider) : 0;
}

void SharedFabric::begins() noexcept {
  if (messages_.fetch_add(1, std::memory_order_relaxed) > 0) return;
  { const std::scoped_lock hold(thread_lock_); }  // the thread sleeps, or will look at the number again
  wake_.notify_one();
}

/// False: another call at once is not worthwhile.
bool SharedFabric::move(bool patient) noexcept try {
  std::unique_lock hold(fabric_lock_, std::defer_lock);
  if (patient)
    hold.lock();
  else if (!hold.try_lock())
    return true;
  return fabric_ && fabric_->advance();
} catch (const std::exception&) {
  return false;  // memory is short: again later
}

void SharedFabric::advance() noexcept {
  moved_.store(transport::fabric::steady_ns(), std::memory_order_relaxed);
  move(false);
}

bool SharedFabric::idle() noexcept {
  const std::scoped_lock hold(fabric_lock_);
  return fabric_->settled();
}

void SharedFabric::keep_going() noexcept {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);  // the program's signals are for its own threads
  prctl(PR_SET_NAME, "heddle-fabric");
  prctl(PR_SET_TIMERSLACK, 1UL);
  std::int64_t nap = shortest_nap;
  while (!ends_) {
    if (messages_.load(std::memory_order_relaxed) == 0 && idle()) {
      std::unique_lock hold(thread_lock_);
      wake_.wait(hold, [this] { return ends_ || messages_.load(std::memory_order_relaxed) > 0; });
      nap = shortest_nap;
    }
    std::this_thread::sleep_for(std::chrono::nanoseconds(nap));
    if (transport::fabric::steady_ns() - moved_.load(std::memory_order_relaxed) < shortest_nap) continue;
    bool moved = false;
    while (!ends_ && move(true)) moved = true;
    nap = moved ? shortest_nap : std::min(2 * nap, longest_nap);
  }
}

void SharedFabric::bury() noexcept {
  if (parted_.empty()) return;
  const Access access(*this);
  const auto ended =
      std::erase_if(parted_, [](const auto& each) { return each->state() != transport::fabric::State::working; });
  for (std::size_t i = 0; i < ended; ++i) ends();
}

void SharedFabric::stop() noexcept {
  if (!thread_.joinable()) return;
  {
    const std::scoped_lock hold(thread_lock_);
    ends_ = true;
  }
  wake_.notify_one();
  thread_.join();
}

void SharedFabric::close() noexcept {
  const std::scoped_lock hold(fabric_lock_);
  parted_.clear();
  fabric_.reset();
}

}  // namespace heddle::engine
