// engine/network/network.cpp: moves on all messages between nodes whenever a call waits, and hears
// words of other ranks.
#include "engine/network/network.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include "engine/base/wait.hpp"
#include "threads/lock.hpp"

namespace heddle::engine {
namespace {

/// The most operations that a call looks at, beside those that it waits for.
constexpr std::size_t at_once = 64;

/// ns from one look for words of other ranks to the next. A look asks the host, and any call that
/// polls may look.
constexpr std::int64_t between_looks = 2000;

}  // namespace

const char* name_of(transport::fabric::FabricScheme scheme) noexcept {
  using transport::fabric::FabricScheme;
  switch (scheme) {
    case FabricScheme::bc_spup:
      return "fabric bc-spup";
    case FabricScheme::rwg_up:
      return "fabric rwg-up";
    case FabricScheme::p_rrs:
      return "fabric p-rrs";
    case FabricScheme::multi_w:
      return "fabric multi-w";
  }
  return "fabric";
}

bool Network::open() noexcept try {
  if (fabric_.is_open()) return true;
  return opens_.load(std::memory_order_relaxed) && fabric_.open([this] { return make_fabric(); });
} catch (const std::exception& error) {
  has_no_fabric(error.what());
  return false;
}

bool Network::reaches(int rank) noexcept {
  if (!open()) return false;
  hear();
  return wireup_.reaches(rank);
}

void Network::set_probes() noexcept {
  if (threads::concurrent.load(std::memory_order_relaxed)) wireup_.want_none();
}

void Network::scatter_hint(int rank, Bytes block) noexcept {
  if (rank >= 0 && open()) wireup_.scatter_hint(rank, block);
}

void Network::tell_sender(const NetworkDescriptor& descriptor, Word::Kind what) noexcept try {
  tell(descriptor.sender, {what, descriptor.announcement.from});
} catch (const std::exception&) {
  return;  // the sender keeps the message, which no receiver will fetch
}

void Network::learn_context(const NetworkDescriptor& descriptor, std::uint32_t own) noexcept try {
  contexts_.learn(descriptor.sender, descriptor.context, own);
  if (descriptor.asks != 0 && own != 0) tell(descriptor.sender, {Word::knows, descriptor.context});
} catch (const std::exception&) {
  return;  // its sender asks again
}

bool Network::awaited(std::uint32_t number, int from) const noexcept {
  return std::ranges::any_of(operations_, [&](const auto& each) { return each->awaits(number, from); });
}

std::optional<Bytes> Network::announced(const void* arrived, Bytes length) const noexcept {
  NetworkDescriptor descriptor;
  if (length != network_descriptor_bytes || !read(arrived, nonce_, ranks_, descriptor)) return {};
  return descriptor.total;
}

bool Network::turns_away(void* arrived, Bytes room) noexcept {
  NetworkDescriptor descriptor;
  if (room < network_descriptor_bytes || !is_descriptor(arrived, nonce_) || !read(arrived, nonce_, ranks_, descriptor))
    return false;
  tell_sender(descriptor, Word::unwanted);
  std::memset(arrived, 0, sizeof(Nonce));
  return true;
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

/// Holds the operations. The host may be called during a turn, and may call back.
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

/// Moves the fabric on, and takes the operations. A false turn: another thread has them.
Network::Turn Network::turn() noexcept {
  fabric_.advance();
  return {*this, std::unique_lock(operations_lock_, std::try_to_lock)};
}

void Network::heard(const Word& word, int from) {
  if (word.kind == Word::have_you) open();  // it takes milliseconds: before the lock
  if (word.kind == Word::knows) return contexts_.known_by(from, word.number);
  const std::scoped_lock hold(wireup_.lock());
  if (!wireup_.take(word, from)) of_messages_.push_back({word, from});
}

/// Hands the words about messages to their operations. The caller holds operations_lock_.
void Network::hand_on() noexcept try {
  const std::scoped_lock hold(wireup_.lock());
  for (const Heard& said : std::exchange(of_messages_, {})) {
    const bool known = std::ranges::any_of(operations_, [&](const auto& each) { return each->hears(said.word, said.from); });
    if (!known && said.word.kind == Word::lost) tell(said.from, {Word::gone, said.word.number});
  }
} catch (const std::exception&) {
  return;  // no memory: operations that wait for that answer go on waiting
}

/// Hears the words of other ranks, and acts on them.
void Network::listen() noexcept {
  const std::int64_t now = transport::fabric::steady_ns();
  if (now - heard_ < between_looks) return;
  heard_ = now;
  hear();
  hand_on();
  wireup_.look_at_greetings();
  fabric_.bury();
}

void Network::within_host() noexcept {
  if (!fabric_.has_messages() || at_operations_) return;
  const std::int64_t now = transport::fabric::steady_ns();
  if (now - within_host_.load(std::memory_order_relaxed) < SharedFabric::longest_nap) return;
  within_host_.store(now, std::memory_order_relaxed);
  const Turn turn(*this, std::unique_lock(operations_lock_, std::try_to_lock));
  if (!turn) return;
  for (const auto& each : operations_) each->carry_on_within_host();
}

void Network::advance() noexcept {
  const Turn mine = turn();
  if (!mine) return;
  listen();
  for (std::size_t looks = std::min(operations_.size(), at_once); looks > 0; --looks) {
    if (next_ >= operations_.size()) next_ = 0;
    if (!operations_[next_]->carry_on()) {
      ++next_;
      continue;
    }
    std::swap(operations_[next_], operations_.back());
    operations_.pop_back();
  }
}

void Network::finish_over() noexcept {
  const auto any_over = [this] {
    const std::scoped_lock hold(operations_lock_);
    return std::ranges::any_of(operations_, [](const auto& each) { return each->over(); });
  };
  for (int looks = 0; looks < 1000 && any_over(); ++looks) advance();
}

void Network::advance(Operation& one) noexcept {
  const Turn mine = turn();
  if (!mine) return;
  listen();
  if (one.over()) return;
  if (one.carry_on()) std::erase_if(operations_, [&one](const auto& each) { return each.get() == &one; });
}

void Network::wait(const Operation& operation) noexcept {
  for (Patience patience(crowded_); !operation.over(); patience.pause()) advance();
}

bool Network::busy() noexcept {
  if (wireup_.greets()) return true;
  const std::scoped_lock hold(operations_lock_);
  return std::ranges::any_of(operations_, [](const auto& each) { return each->will_end(); });
}

bool Network::sends() noexcept {
  const std::scoped_lock hold(operations_lock_);
  return std::ranges::any_of(operations_, [](const auto& each) { return each->is_send() && each->will_end(); });
}

void Network::cancel(Operation& operation) noexcept {
  const Turn mine(*this, std::unique_lock(operations_lock_));
  operation.cancel();
}

void Network::close() noexcept {
  fabric_.stop();
  operations_.clear();
  fabric_.close();
}

}  // namespace heddle::engine
