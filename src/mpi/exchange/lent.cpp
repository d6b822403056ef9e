// mpi/exchange/lent.cpp
#include "mpi/exchange/lent.hpp"

#include <algorithm>
#include <mutex>
#include <new>

#include "layout/lasting.hpp"

namespace heddle::mpi {
namespace {

/// At most, of a process.
constexpr int most = 128;

}  // namespace

/// Slots whose owner is gone, and that others may still read.
struct Lent::Attic {
  struct Retired {
    std::byte* slot;
    std::vector<std::byte*> boxes;
    [[nodiscard]] bool over() const {
      return std::ranges::all_of(boxes, [](std::byte* box) { return closed(box).load(std::memory_order_acquire) != 0; });
    }
  };
  std::mutex lock;
  std::vector<Retired> all;
  int lent = 0;

  std::byte* take(Node& node) {
    const std::lock_guard guard(lock);
    std::erase_if(all, [&](const Retired& one) {
      if (!one.over()) return false;
      node.outbox().take_back(one.slot);
      --lent;
      return true;
    });
    if (lent == most) return nullptr;
    all.reserve(static_cast<std::size_t>(lent) + 1);  // so that retiring needs no memory
    std::byte* slot = node.outbox().lend();
    if (slot) ++lent;
    return slot;
  }
};

Lent::Attic& Lent::attic() {
  static layout::Lasting<Attic> attic;
  return *attic;
}

Lent Lent::from(Node& node) {
  Lent lent;
  lent.memory_ = attic().take(node);
  return lent;
}

Lent::~Lent() {
  if (memory_) std::move(*this).retire({});
}

void Lent::retire(std::vector<std::byte*> boxes) && noexcept try {
  std::byte* const slot = std::exchange(memory_, nullptr);
  const std::lock_guard guard(attic().lock);
  attic().all.push_back({slot, std::move(boxes)});
} catch (const std::bad_alloc&) {
  return;  // never used again
}

}  // namespace heddle::mpi
