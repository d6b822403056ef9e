// engine/node/announcements.hpp: a copy of each descriptor that is under way, in the node memory of
// its sender. A program may let receives overlap, or write into the buffer of a receive. Then the
// descriptor that has arrived is lost, and the receiver finds the message here (arrival.hpp).
//
//   sender      entry = book.make();   ... entry->publish(receiver, tag, descriptor);   ... entry->retract();
//   receiver    Announcements(memory of the sender).for_each(size, open, [](const Announcements::Entry& entry) { ... });
//
//   node memory, from byte 3840 on     place of the newest page of entries; each page has the place of the one before
//
// An entry belongs to one Outgoing for good, so that the entries of warm messages are warm.
// Receivers read no entry as long as no descriptor is lost.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include "engine/node/arena.hpp"
#include "engine/node/descriptor.hpp"

namespace heddle::engine {

class Announcements {
 public:
  static constexpr Bytes at = 3840;

  struct alignas(64) Entry {
    std::atomic<std::uint64_t> generation{0};  ///< The message's; 0: no message is under way.
    std::int32_t receiver = -1;                ///< Rank of the node.
    std::int32_t tag = 0;
    alignas(64) std::byte descriptor[sizeof(Descriptor)];

    void publish(int to, int with, const Descriptor& of) noexcept {
      std::atomic_thread_fence(std::memory_order_release);  // the end of the message before is visible first
      receiver = to;
      tag = with;
      std::memcpy(descriptor, &of, sizeof of);
      generation.store(of.generation, std::memory_order_release);
    }
    void retract() noexcept { generation.store(0, std::memory_order_release); }
  };

  /// @param memory  Node memory of the sender, as mapped here.
  explicit Announcements(std::byte* memory) noexcept : memory_(memory) {}

  /// Visits every entry. The sender may change an entry at the same time, so the visitor must check
  /// the bytes that it reads.
  /// @param size  Bytes of the node memory.
  /// @param open  bool(Bytes end): makes its first `end` bytes accessible.
  template <class Open, class Visit>
  void for_each(Bytes size, const Open& open, const Visit& visit) const {
    std::uint64_t next = first().load(std::memory_order_acquire);
    for (Bytes pages = size / slot_bytes; next != 0 && pages > 0; --pages) {
      if (next < static_cast<std::uint64_t>(Arena::head) || next > static_cast<std::uint64_t>(size - slot_bytes)) return;
      if (!open(static_cast<Bytes>(next) + slot_bytes)) return;
      const auto* const page = reinterpret_cast<const Page*>(memory_ + next);
      for (const Entry& each : page->entries) visit(each);
      next = page->before;
    }
  }

 private:
  friend class AnnouncementBook;
  struct alignas(64) Page {
    std::uint64_t before = 0;
    Entry entries[(slot_bytes - 64) / static_cast<Bytes>(sizeof(Entry))];
  };
  static_assert(sizeof(Page) <= static_cast<std::size_t>(slot_bytes));
  static_assert(at + static_cast<Bytes>(sizeof(std::uint64_t)) <= Arena::head);

  [[nodiscard]] std::atomic<std::uint64_t>& first() const noexcept {
    return *reinterpret_cast<std::atomic<std::uint64_t>*>(memory_ + at);
  }
  std::byte* memory_;
};

/// The sender's side. Under its user's lock.
class AnnouncementBook {
 public:
  explicit AnnouncementBook(Arena& arena) noexcept : arena_(arena) {}

  /// An entry that an Outgoing keeps for good. Null: there is no room.
  Announcements::Entry* make() noexcept {
    using Page = Announcements::Page;
    if (next_ == end_) {
      if (!arena_.reserve(1)) return nullptr;
      std::byte* const slot = arena_.take_to_keep();
      auto* const page = new (slot) Page;
      std::atomic<std::uint64_t>& first = Announcements(arena_.base()).first();
      page->before = first.load(std::memory_order_relaxed);
      first.store(static_cast<std::uint64_t>(slot - arena_.base()), std::memory_order_release);
      next_ = page->entries;
      end_ = page->entries + sizeof page->entries / sizeof *page->entries;
    }
    return next_++;
  }

 private:
  Arena& arena_;
  Announcements::Entry* next_ = nullptr;
  Announcements::Entry* end_ = nullptr;
};

}  // namespace heddle::engine
