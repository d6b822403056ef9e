// engine/node/unclaimed.cpp: names a message in one word.
#include "engine/node/unclaimed.hpp"

namespace heddle::engine {
namespace {

constexpr std::uint64_t low(std::uint64_t word, int bits) { return word & ((std::uint64_t{1} << bits) - 1); }

}  // namespace

// Returns 0 if the name has no room in a word.
std::uint64_t Unclaimed::word_of(const Suspect& message) noexcept {
  const std::uint64_t sender = std::uint64_t{message.sender} + 1;
  const std::uint64_t line = message.control / line_bytes;
  if (sender >> (64 - control_bits - generation_bits) != 0 || line >> control_bits != 0) return 0;
  return sender << (control_bits + generation_bits) | line << generation_bits | low(message.generation, generation_bits);
}

std::optional<Unclaimed::Suspect> Unclaimed::suspect() const noexcept {
  const std::uint64_t word = shared_->suspicion.load(std::memory_order_acquire);
  if (word == 0) return {};
  return Suspect{.sender = static_cast<std::uint32_t>((word >> (control_bits + generation_bits)) - 1),
                 .control = low(word >> generation_bits, control_bits) * line_bytes,
                 .generation = low(word, generation_bits)};
}

bool Unclaimed::suspect(const Suspect& message) noexcept {
  const std::uint64_t word = word_of(message);
  std::uint64_t before = 0;
  return word != 0 && (shared_->suspicion.compare_exchange_strong(before, word, std::memory_order_acq_rel) || before == word);
}

void Unclaimed::clear(const Suspect& message) noexcept {
  std::uint64_t word = word_of(message);
  if (word != 0) shared_->suspicion.compare_exchange_strong(word, 0, std::memory_order_acq_rel);
}

// Only the sender brings a cell to packing and packed. Only the receiver makes it taken or done.
bool claimed(const Control& control, std::uint64_t generation) noexcept {
  // If this is the number of another message, the generation below is that message's, too.
  const std::uint32_t segments = control.segments;
  std::atomic_thread_fence(std::memory_order_acquire);
  if (segments == 0) return true;  // the sender begins another message here
  for (Count i = 0; i < segments; ++i) {
    const State now = control.cells[i].state.load(std::memory_order_acquire);
    if (now == State::taken || now == State::done) return true;
  }
  return low(control.generation.load(std::memory_order_acquire) ^ generation, Unclaimed::generation_bits) != 0;
}

std::string received_past(int receiver, int sender, int tag) {
  const auto name = [](int rank) { return "rank " + std::to_string(rank); };
  return name(receiver) + " of MPI_COMM_WORLD has received a message of " + name(sender) + " with tag " + std::to_string(tag) +
         " past Heddle: the program got the bytes that announce the message instead of its data. The job ends before they are "
         "taken for results. Set HEDDLE_SCHEME=native: then no message is announced. Please report what receives there.";
}

}  // namespace heddle::engine
