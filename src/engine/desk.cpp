// engine/desk.cpp: a list of desks.
#include "engine/desk.hpp"

#include <new>

namespace heddle::engine {

Desk* Desks::take() noexcept try {
  const std::lock_guard guard(lock_);
  if (free_.empty()) {
    free_.reserve(all_.size() + 1);
    all_.reserve(all_.size() + 1);
    all_.push_back(std::make_unique_for_overwrite<Desk>());
    return all_.back().get();
  }
  Desk* desk = free_.back();
  free_.pop_back();
  return desk;
} catch (const std::bad_alloc&) {
  return nullptr;
}

void Desks::give(Desk* desk) noexcept {
  const std::lock_guard guard(lock_);
  free_.push_back(desk);
}

}  // namespace heddle::engine
