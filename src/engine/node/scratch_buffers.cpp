// engine/node/scratch_buffers.cpp: the pool keeps buffers of messages that are over.
#include "engine/node/scratch_buffers.hpp"

#include <new>

namespace heddle::engine {

ScratchBuffers* ScratchPool::take() noexcept try {
  const std::lock_guard guard(lock_);
  if (free_.empty()) {
    free_.reserve(all_.size() + 1);
    all_.reserve(all_.size() + 1);
    all_.push_back(std::make_unique_for_overwrite<ScratchBuffers>());
    return all_.back().get();
  }
  ScratchBuffers* scratch = free_.back();
  free_.pop_back();
  return scratch;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void ScratchPool::give(ScratchBuffers* scratch) noexcept {
  const std::lock_guard guard(lock_);
  free_.push_back(scratch);
}

}  // namespace heddle::engine
