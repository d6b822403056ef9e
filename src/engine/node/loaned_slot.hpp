// engine/node/loaned_slot.hpp: lends slots of this process's node memory, in which other ranks of
// the node read mailboxes. The free is deferred: the owner of a loaned slot may go at any time, but
// the slot stays until all its readers have closed.
//
//   Loans loans(rendezvous_sender);                                  // of a process
//   LoanedSlot slot = loans.lend(2);                      // false: none to be had, now
//   Mailbox mailbox = slot.mailbox(bytes);                // false: no more fit
//   slot.is_read(mailbox);                                // its reader has said that it will
#pragma once

#include <cstddef>
#include <mutex>
#include <utility>
#include <vector>

#include "engine/node/mailbox.hpp"
#include "engine/node/rendezvous_sender.hpp"

namespace heddle::engine {

class LoanedSlot;

/// Slots that are on loan, and those whose owner is gone. Safe for several threads.
class Loans {
 public:
  static constexpr int most = 256;  ///< At once.

  explicit Loans(RendezvousSender& rendezvous_sender) noexcept : rendezvous_sender_(rendezvous_sender) {}
  /// @param readers  The most mailboxes that may be read in it.
  [[nodiscard]] LoanedSlot lend(std::size_t readers) noexcept;
  /// The number of slots that a user of many should ask for. It falls as more slots are on loan.
  [[nodiscard]] int share() noexcept;

 private:
  friend LoanedSlot;
  struct Deferred {
    std::byte* slot = nullptr;
    std::vector<std::byte*> read;  // mailboxes
    [[nodiscard]] bool over() const noexcept;
  };
  void free_when_closed(Deferred deferred) noexcept;

  RendezvousSender& rendezvous_sender_;
  std::mutex lock_;
  std::vector<Deferred> deferred_;
  int lent_ = 0;  // including deferred ones
};

/// A slot from which mailboxes are cut, or none.
class LoanedSlot {
 public:
  LoanedSlot() = default;
  LoanedSlot(LoanedSlot&& other) noexcept { *this = std::move(other); }
  LoanedSlot& operator=(LoanedSlot&& other) noexcept {
    std::swap(loans_, other.loans_);
    std::swap(slot_, other.slot_);
    std::swap(used_, other.used_);
    return *this;
  }
  /// Frees the slot when all mailboxes that are read in it have closed. If none is read, it does so
  /// at once.
  ~LoanedSlot() {
    if (loans_) loans_->free_when_closed(std::move(slot_));
  }
  explicit operator bool() const noexcept { return loans_ != nullptr; }
  [[nodiscard]] Mailbox mailbox(Bytes slot) noexcept;
  void is_read(const Mailbox& mailbox) noexcept { slot_.read.push_back(mailbox.memory()); }

 private:
  friend Loans;
  Loans* loans_ = nullptr;
  Loans::Deferred slot_;
  Bytes used_ = 0;
};

}  // namespace heddle::engine
