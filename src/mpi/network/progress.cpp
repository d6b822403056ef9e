// mpi/network/progress.cpp: what is under way between nodes, moved on by calls that wait, and by a thread.
#include <pthread.h>
#include <sys/prctl.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <exception>

#include "engine/wait.hpp"
#include "mpi/network/network.hpp"

namespace heddle::mpi {
namespace {

/// ns: how long the thread naps while something is under way, from the first nap to the last. A call that polls is seldom
/// further than the first from its last poll.
constexpr std::int64_t shortest_nap = 50'000;
constexpr std::int64_t longest_nap = 1'000'000;

/// Operations that one call looks at, of those that it does not wait for.
constexpr std::size_t some = 64;

/// ns from one look for words of other ranks to the next: the host is asked, in every call that polls.
constexpr std::int64_t between_looks = 2000;

}  // namespace

void Network::begins() noexcept {
  if (messages_.fetch_add(1, std::memory_order_relaxed) > 0) return;
  { const std::scoped_lock hold(thread_lock_); }  // it sleeps, or will look at the number again
  wake_.notify_one();
}

/// False: there is nothing that could be worth being called again for.
bool Network::move(bool patient) noexcept try {
  std::unique_lock hold(fabric_lock_, std::defer_lock);
  if (patient)
    hold.lock();
  else if (!hold.try_lock())
    return true;
  return fabric_ && fabric_->advance();
} catch (const std::exception&) {
  return false;  // memory is short: again later
}

bool Network::idle() noexcept {
  const std::scoped_lock hold(fabric_lock_);
  return fabric_->settled();
}

void Network::keep_going() noexcept {
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

bool Network::add(const std::shared_ptr<Operation>& operation) noexcept try {
  const std::scoped_lock hold(operations_lock_);
  operations_.push_back(operation);
  return true;
} catch (const std::exception&) {
  return false;
}

void Network::remove(const Operation& operation) noexcept {
  const std::scoped_lock hold(operations_lock_);
  std::erase_if(operations_, [&operation](const auto& each) { return each.get() == &operation; });
}

/// Has the operations. The host may be called meanwhile, and call back.
class Network::Turn {
 public:
  Turn(Network& network, std::unique_lock<std::mutex> hold) noexcept : network_(network), hold_(std::move(hold)) {
    if (hold_) network_.at_operations_ = true;
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
  ~Turn() {
    if (hold_) network_.at_operations_ = false;
  }
  explicit operator bool() const noexcept { return hold_.owns_lock(); }

 private:
  Network& network_;
  std::unique_lock<std::mutex> hold_;
};

/// Moves the fabric on, and takes the operations. Without them: another thread is at it.
Network::Turn Network::turn() noexcept {
  const std::int64_t now = transport::fabric::steady_ns();
  moved_.store(now, std::memory_order_relaxed);
  move(false);
  return Turn(*this, std::unique_lock(operations_lock_, std::try_to_lock));
}

/// What other ranks say, and what follows from it.
void Network::listen() noexcept {
  const std::int64_t now = transport::fabric::steady_ns();
  if (now - heard_ < between_looks) return;
  heard_ = now;
  hear();
  hand_on();
  look_at_greetings();
  bury();
}

/// Of the host's engine, in whatever call it waits.
void Network::within_host() noexcept {
  Network* const network = here();
  if (!network || network->messages_.load(std::memory_order_relaxed) == 0 || network->at_operations_) return;
  const std::int64_t now = transport::fabric::steady_ns();
  if (now - network->within_host_.load(std::memory_order_relaxed) < longest_nap) return;
  network->within_host_.store(now, std::memory_order_relaxed);
  const Turn turn(*network, std::unique_lock(network->operations_lock_, std::try_to_lock));
  if (!turn) return;
  for (const auto& each : network->operations_) each->carry_on_within_host();
}

void Network::advance() noexcept {
  const Turn mine = turn();
  if (!mine) return;
  listen();
  for (std::size_t looks = std::min(operations_.size(), some); looks > 0; --looks) {
    if (next_ >= operations_.size()) next_ = 0;
    if (!operations_[next_]->carry_on()) {
      ++next_;
      continue;
    }
    std::swap(operations_[next_], operations_.back());
    operations_.pop_back();
  }
}

void Network::advance(Operation& one) noexcept {
  const Turn mine = turn();
  if (!mine) return;
  listen();
  if (one.over()) return;
  if (one.carry_on()) std::erase_if(operations_, [&one](const auto& each) { return each.get() == &one; });
}

void Network::wait(const Operation& operation) noexcept {
  for (engine::Patience patience(crowded_); !operation.over(); patience.pause()) advance();
}

void Network::part(std::unique_ptr<transport::fabric::Message> message) { parted_.push_back(std::move(message)); }

/// Those that have ended.
void Network::bury() noexcept {
  if (parted_.empty()) return;
  const Access access(*this);
  const auto ended =
      std::erase_if(parted_, [](const auto& each) { return each->state() != transport::fabric::State::working; });
  for (std::size_t i = 0; i < ended; ++i) ends();
}

bool Network::busy() noexcept {
  const std::scoped_lock hold(operations_lock_);
  return std::ranges::any_of(operations_, [](const auto& each) { return each->will_end(); });
}

void Network::cancel(Operation& operation) noexcept {
  const Turn mine(*this, std::unique_lock(operations_lock_));
  operation.cancel();
}

}  // namespace heddle::mpi
