// mpi/network/progress.cpp: what is under way between nodes, moved on by calls that wait.
#include <algorithm>
#include <exception>

#include "engine/wait.hpp"
#include "mpi/network/network.hpp"

namespace heddle::mpi {
namespace {

/// Operations that one call looks at, of those that it does not wait for.
constexpr std::size_t some = 64;

/// ns from one look for words of other ranks to the next: the host is asked, in every call that polls.
constexpr std::int64_t between_looks = 2000;

}  // namespace

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
  fabric_.advance();
  return Turn(*this, std::unique_lock(operations_lock_, std::try_to_lock));
}

/// What other ranks say, and what follows from it.
void Network::listen() noexcept {
  const std::int64_t now = transport::fabric::steady_ns();
  if (now - heard_ < between_looks) return;
  heard_ = now;
  hear();
  hand_on();
  contacts_.look_at_greetings();
  fabric_.bury();
}

/// Of the host's engine, in whatever call it waits.
void Network::within_host() noexcept {
  Network* const network = here();
  if (!network || !network->fabric_.has_messages() || network->at_operations_) return;
  const std::int64_t now = transport::fabric::steady_ns();
  if (now - network->within_host_.load(std::memory_order_relaxed) < engine::SharedFabric::longest_nap) return;
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

bool Network::busy() noexcept {
  const std::scoped_lock hold(operations_lock_);
  return std::ranges::any_of(operations_, [](const auto& each) { return each->will_end(); });
}

void Network::cancel(Operation& operation) noexcept {
  const Turn mine(*this, std::unique_lock(operations_lock_));
  operation.cancel();
}

}  // namespace heddle::mpi
