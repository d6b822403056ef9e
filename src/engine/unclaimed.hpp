// engine/unclaimed.hpp: a descriptor that was received although nobody fetches its message:
// somebody has received it past Heddle and takes it for data. What the two sides tell each other of
// it.
//
//   sender      the host has delivered the descriptor, and no cell is claimed ──▶ Unclaimed(memory of the receiver).suspect()
//   receiver    no receive of its own is under way, and there is a suspicion: is still no cell claimed? Then it is true.
//
//   node memory of the receiver, from byte 3584 on
//     suspicion    sender + 1 (16 bits), its control block (34, in lines), generation (14)
//     uncertain    nothing is to be concluded from what this process leaves unclaimed
//
// The sender takes its suspicion back as soon as a cell is claimed; the receiver, if it finds one claimed.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/arena.hpp"

namespace heddle::engine {

/// What is in a receiver's node memory.
class Unclaimed {
 public:
  static constexpr Bytes at = 3584;
  static constexpr int generation_bits = 14;  ///< Of a generation, that are compared.

  /// @param memory  Node memory of the receiver, as mapped here.
  explicit Unclaimed(std::byte* memory) noexcept : shared_(reinterpret_cast<Shared*>(memory + at)) {}

  /// A message as a suspicion names it.
  struct Suspect {
    std::uint32_t sender = 0;
    std::uint64_t control = 0;     ///< Of its control block: offset in the sender's node memory.
    std::uint64_t generation = 0;  ///< Of the block; its lowest bits.
  };
  /// Nothing: nobody suspects anything. One load, of a line that hardly ever changes.
  [[nodiscard]] bool any() const noexcept { return shared_->suspicion.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] std::optional<Suspect> suspect() const noexcept;
  /// False: it cannot be said, or another one is there.
  bool suspect(const Suspect& message) noexcept;
  /// Takes it back, if it is still there.
  void clear(const Suspect& message) noexcept;

  /// A receive of this process has failed, or may fail without Heddle's knowing of it: then it claims nothing.
  [[nodiscard]] bool uncertain() const noexcept { return shared_->uncertain.load(std::memory_order_acquire) != 0; }
  void set_uncertain() noexcept { shared_->uncertain.store(1, std::memory_order_release); }

 private:
  struct Shared {
    std::atomic<std::uint64_t> suspicion;
    std::atomic<std::uint32_t> uncertain;
  };
  static_assert(at + static_cast<Bytes>(sizeof(Shared)) <= Arena::head);
  static constexpr int control_bits = 34;
  static std::uint64_t word_of(const Suspect& message) noexcept;
  Shared* shared_;
};

/// With what the job ends: a rank has received a message past Heddle. Ranks of MPI_COMM_WORLD.
std::string received_past(int receiver, int sender, int tag);

/// Whether the receiver has begun to fetch the message of that generation, or has fetched it.
bool claimed(const Control& control, std::uint64_t generation) noexcept;

}  // namespace heddle::engine
