// transport/fabric/segment_pool.hpp: segments that are registered once and used by all messages (Wu
// et al. 2004, §3.2.3).
//
//   Slot slot;
//   if (pool.take(slot)) ...                     // false: no room for more, the message goes another way
//   pool.give(slot);
//
// The pool grows by chunks when needed, up to its limit and the budget's. A chunk is one region.
// Slots are used last in, first out, so that few warm slots serve a steady stream.
#pragma once

#include <memory>
#include <vector>

#include "transport/fabric/budget.hpp"
#include "transport/fabric/endpoint.hpp"

namespace heddle::transport::fabric {

struct Slot {
  std::byte* at = nullptr;
  const Region* region = nullptr;
};

class Pool {
 public:
  Pool(Endpoint& endpoint, Budget& budget, Bytes slot_bytes, Bytes limit) noexcept
      : endpoint_(endpoint), budget_(budget), slot_bytes_(slot_bytes), limit_(limit) {}
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;
  ~Pool();

  [[nodiscard]] Bytes slot_bytes() const noexcept { return slot_bytes_; }
  bool take(Slot& slot) noexcept;
  void give(const Slot& slot) noexcept { free_.push_back(slot); }
  /// Takes a slot out of use for ever: a peer that is gone may still write to it.
  void retire(const Slot&) noexcept { ++retired_; }
  /// Slots that are taken and not given back.
  [[nodiscard]] std::size_t out() const noexcept { return made_ - free_.size() - retired_; }

 private:
  static constexpr Bytes chunk_slots = 16;
  bool grow() noexcept;

  Endpoint& endpoint_;
  Budget& budget_;
  Bytes slot_bytes_;
  Bytes limit_;
  std::size_t made_ = 0;
  std::size_t retired_ = 0;
  std::vector<std::unique_ptr<Region>> chunks_;
  std::vector<Slot> free_;
};

}  // namespace heddle::transport::fabric
