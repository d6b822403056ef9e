// engine/node/unclaimed.hpp: finds descriptors that were received past Heddle. No receive fetches
// the message of such a descriptor, and the program takes the descriptor for data. The sender tells
// the receiver of its suspicion here.
//
//   sender      the host has delivered the descriptor, and no cell is claimed ──▶ Unclaimed(memory of the receiver).suspect()
//   receiver    no receive of its own is under way, and there is a suspicion. If still no cell is claimed, it is true.
//
//   node memory of the receiver, from byte 3584 on
//     suspicion    sender + 1 (16 bits), its control block (34, in lines), generation (14)
//     uncertain    messages that this process leaves unclaimed prove nothing
//
// The sender takes its suspicion back as soon as a cell is claimed. The receiver clears it if it
// finds a claimed cell.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/node/arena.hpp"

namespace heddle::engine {

/// The suspicion in a receiver's node memory.
class Unclaimed {
 public:
  static constexpr Bytes at = 3584;
  static constexpr int generation_bits = 14;  ///< The bits of a generation that are compared.

  /// @param memory  Node memory of the receiver, as mapped here.
  explicit Unclaimed(std::byte* memory) noexcept : shared_(reinterpret_cast<Shared*>(memory + at)) {}

  /// A message as a suspicion names it.
  struct Suspect {
    std::uint32_t sender = 0;
    std::uint64_t control = 0;     ///< Offset of its control block in the sender's node memory.
    std::uint64_t generation = 0;  ///< The lowest bits of the block's generation.
  };
  /// False, or nothing: no rank suspects anything. any() is one load of a line that hardly ever
  /// changes.
  [[nodiscard]] bool any() const noexcept { return shared_->suspicion.load(std::memory_order_relaxed) != 0; }
  [[nodiscard]] std::optional<Suspect> suspect() const noexcept;
  /// Enters a suspicion. False: its name has no room in a word, or another suspicion is there.
  bool suspect(const Suspect& message) noexcept;
  /// Takes the suspicion back, if it is still there.
  void clear(const Suspect& message) noexcept;

  /// True: a receive of this process has failed, or may fail without Heddle's knowledge. Such a
  /// receive claims nothing.
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

/// The last sentence of a job in which a rank has received a message past Heddle. Ranks are those
/// of MPI_COMM_WORLD.
std::string received_past(int receiver, int sender, int tag);

/// True: the receiver has begun to fetch the message of that generation, or has fetched it.
bool claimed(const Control& control, std::uint64_t generation) noexcept;

}  // namespace heddle::engine
