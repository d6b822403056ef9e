// engine/node/mailbox.cpp: makes mailboxes, looks into them, retracts messages.
#include "engine/node/mailbox.hpp"

namespace heddle::engine {

bool Mailbox::possible(Bytes offset, Bytes slot, Bytes memory_size) noexcept {
  return offset >= 0 && offset % line == 0 && slot >= line && slot % line == 0 && slot <= slot_bytes &&
         offset <= memory_size - whole(slot);
}

Mailbox Mailbox::made(std::byte* memory, Bytes slot) noexcept {
  const Mailbox mailbox(memory, slot);
  Reader& reader = mailbox.reader();
  for (auto* each : {&reader.closed, &reader.consumed}) each->store(0, std::memory_order_relaxed);
  reader.expects.store(0, std::memory_order_relaxed);
  for (const std::uint64_t number : {1, 2}) mailbox.slot_of(number).number.store(0, std::memory_order_relaxed);
  return mailbox;
}

bool Mailbox::withdrawn(Slot& slot) noexcept {
  std::uint64_t mine = number_;
  if (!slot.number.compare_exchange_strong(mine, 0)) return false;
  --number_;
  return true;
}

Mailbox::Found Mailbox::look(Key key) noexcept {
  do {
    const Key its = slot_of(number_ + 1).key.load(std::memory_order_relaxed);
    if (its > key) return Found::later;
    ++number_;
    if (its == key) return Found::here;
    consume();
  } while (is_there(number_ + 1));
  return Found::nothing;
}

bool Mailbox::retract(Key key) noexcept {
  reader().expects.store(key);  // before find() looks into the slot
  const Found found = find(key);
  if (found != Found::here) return false;
  Slot& slot = slot_of(number_);
  std::uint64_t number = number_--;
  if (!slot.number.compare_exchange_strong(number, 0)) return false;  // the sender was faster
  if (slot.key.load(std::memory_order_relaxed) != key) {              // much faster: this is the next call's message
    slot.number.store(number);
    return false;
  }
  ++number_;
  return true;
}

}  // namespace heddle::engine
