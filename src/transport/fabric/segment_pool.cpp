// transport/fabric/segment_pool.cpp: anonymous memory in chunks.
#include "transport/fabric/segment_pool.hpp"

#include <sys/mman.h>

namespace heddle::transport::fabric {

Pool::~Pool() {
  for (const auto& chunk : chunks_) {
    std::byte* const start = chunk->start;
    const Bytes length = chunk->length;
    endpoint_.release(*chunk);
    munmap(start, static_cast<std::size_t>(length));
    budget_.give(length);
  }
}

bool Pool::grow() noexcept {
  // Take as many slots as there is room for: a small limit on pinned memory may still allow a few.
  for (Bytes slots = chunk_slots; slots > 0; slots /= 2) {
    const Bytes length = slots * slot_bytes_;
    if (static_cast<Bytes>(made_) * slot_bytes_ + length > limit_ || !budget_.take(length)) continue;
    void* const memory = mmap(nullptr, static_cast<std::size_t>(length), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);
    auto chunk = std::make_unique<Region>();
    if (memory != MAP_FAILED && endpoint_.enlist(static_cast<std::byte*>(memory), length, true, *chunk) == 0) {
      made_ += static_cast<std::size_t>(slots);
      free_.reserve(made_);  // so that give() needs no memory
      for (Bytes i = slots; i-- > 0;) free_.push_back({chunk->start + i * slot_bytes_, chunk.get()});
      chunks_.push_back(std::move(chunk));
      return true;
    }
    if (memory != MAP_FAILED) munmap(memory, static_cast<std::size_t>(length));
    budget_.give(length);
  }
  return false;
}

bool Pool::take(Slot& slot) noexcept {
  if (free_.empty() && !grow()) return false;
  slot = free_.back();
  free_.pop_back();
  return true;
}

}  // namespace heddle::transport::fabric
