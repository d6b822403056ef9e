// engine/node/claims.hpp: lists the messages that threads of this process are fetching. Several
// receives may see one descriptor (their buffers overlap): one of them gets the message.
//
//   Claims::Claim claim(claims, descriptor.sender, descriptor.generation, control);
//   if (!claim) ...                              // another receive has the message, or had it
//   receive(descriptor, reach, target);          // afterwards the cells are done, and say so themselves
//
// All receives of a message are in one process, so a list of that process decides. A claim touches
// only those lines of node memory that the receive reads in any case.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

#include "engine/node/control_block.hpp"
#include "threads/lock.hpp"

namespace heddle::engine {

/// The control block is that of this message, and no receive has been through with it.
inline bool unclaimed(const Control& control, std::uint64_t generation) noexcept {
  // In this order: the sender of another message writes its generation before it opens the cell.
  const State first = control.cells[0].state.load(std::memory_order_acquire);
  return first != State::taken && first != State::done && control.generation.load(std::memory_order_acquire) == generation;
}

class Claims {
 public:
  Claims() = default;
  Claims(const Claims&) = delete;
  Claims& operator=(const Claims&) = delete;

  class Claim {
   public:
    Claim(Claims& all, std::uint32_t sender, std::uint64_t generation, const Control& control) noexcept
        : all_(all), sender_(sender), generation_(generation) {
      const std::lock_guard guard(all.lock_);
      if (all.has(sender, generation) || !unclaimed(control, generation)) return;
      next_ = all.first_;
      all.first_ = this;
      mine_ = true;
    }
    Claim(const Claim&) = delete;
    Claim& operator=(const Claim&) = delete;
    ~Claim() {
      if (!mine_) return;
      const std::lock_guard guard(all_.lock_);
      Claim** at = &all_.first_;
      while (*at != this) at = &(*at)->next_;
      *at = next_;
    }
    explicit operator bool() const noexcept { return mine_; }

   private:
    friend Claims;
    Claims& all_;
    std::uint32_t sender_;
    std::uint64_t generation_;
    Claim* next_ = nullptr;
    bool mine_ = false;
  };

  /// True: a thread is fetching that message. @param sender  Rank of the node.
  [[nodiscard]] bool under_way(std::uint32_t sender, std::uint64_t generation) noexcept {
    const std::lock_guard guard(lock_);
    return has(sender, generation);
  }

 private:
  [[nodiscard]] bool has(std::uint32_t sender, std::uint64_t generation) const noexcept {
    for (const Claim* each = first_; each; each = each->next_)
      if (each->sender_ == sender && each->generation_ == generation) return true;
    return false;
  }

  threads::Lock lock_;
  Claim* first_ = nullptr;
};

}  // namespace heddle::engine
