// engine/node/datatype.cpp: facts about a datatype, each computed at its first use.
#include "engine/node/datatype.hpp"

#include <exception>
#include <memory>
#include <mutex>

#include "layout/cursor.hpp"

namespace heddle::engine {

Datatype::~Datatype() {
  if (DatatypeCache* cache = datatype_cache_.load(std::memory_order_acquire)) cache->strike(listed_);
  delete statistics_.load(std::memory_order_acquire);
}

void Datatype::describe(layout::Layout layout, select::Message about) {
  layout_ = std::move(layout);
  size_ = layout_.size();
  if (size_ > 0) {
    const layout::Segment first = layout::Cursor(layout_, 1).peek();
    first_byte_ = first.offset;
    first_piece_ = first.length;
  }
  // A type of size 0 always counts as packed, so that the host gets no bytes instead: MPICH 5.0.2
  // divides by zero when it receives some types of size 0.
  for (const bool several : {false, true}) {
    about.several = several;
    packs_from_[several ? 1 : 0] = size_ == 0 ? 0 : select::packs_from(layout_, about);
  }
}

const select::Statistics* Datatype::statistics() const noexcept try {
  if (const select::Statistics* made = statistics_.load(std::memory_order_acquire)) return made;
  auto fresh = std::make_unique<const select::Statistics>(layout_);
  const select::Statistics* first = nullptr;
  if (!statistics_.compare_exchange_strong(first, fresh.get(), std::memory_order_acq_rel)) return first;  // another thread's
  return fresh.release();
} catch (const std::exception&) {
  return nullptr;
}

Listed Datatype::listed(DatatypeCache& cache) const noexcept {
  if (!datatype_cache_.load(std::memory_order_acquire)) {
    static constinit std::mutex listing;
    const std::lock_guard lock(listing);
    if (!datatype_cache_.load(std::memory_order_relaxed)) {
      listed_ = cache.list(layout_);
      datatype_cache_.store(&cache, std::memory_order_release);
    }
  }
  return listed_;
}

}  // namespace heddle::engine
