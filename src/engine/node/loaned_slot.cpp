// engine/node/loaned_slot.cpp: lend() also looks at the slots whose owners are gone.
#include "engine/node/loaned_slot.hpp"

#include <algorithm>
#include <new>

namespace heddle::engine {

bool Loans::Deferred::over() const noexcept { return std::ranges::all_of(read, Mailbox::closed); }

LoanedSlot Loans::lend(std::size_t readers) noexcept try {
  LoanedSlot loaned;
  loaned.slot_.read.reserve(readers);
  const std::lock_guard guard(lock_);
  std::erase_if(deferred_, [this](const Deferred& one) {
    if (!one.over()) return false;
    rendezvous_sender_.take_back(one.slot);
    --lent_;
    return true;
  });
  if (lent_ == most) return {};
  deferred_.reserve(static_cast<std::size_t>(lent_) + 1);  // so that nothing is allocated when the owner goes
  loaned.slot_.slot = rendezvous_sender_.lend();
  if (!loaned.slot_.slot) return {};
  ++lent_;
  loaned.loans_ = this;
  return loaned;
} catch (const std::bad_alloc&) {
  return {};
}

int Loans::share() noexcept {
  const std::lock_guard guard(lock_);
  return std::max(1, (most - lent_) / 16);
}

void Loans::free_when_closed(Deferred deferred) noexcept {
  const std::lock_guard guard(lock_);
  if (!deferred.over()) return deferred_.push_back(std::move(deferred));
  rendezvous_sender_.take_back(deferred.slot);
  --lent_;
}

Mailbox LoanedSlot::mailbox(Bytes slot) noexcept {
  if (!loans_ || used_ + Mailbox::whole(slot) > slot_bytes) return {};
  std::byte* const memory = slot_.slot + used_;
  used_ += Mailbox::whole(slot);
  return Mailbox::made(memory, slot);
}

}  // namespace heddle::engine
