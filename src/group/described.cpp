// group/described.cpp: a map with a lock. A group without memory for its entry is forgotten.
#include "group/described.hpp"

#include <new>

namespace heddle::group {

void Described::insert(std::uint64_t key, const Group& group) noexcept try {
  const std::lock_guard guard(lock_);
  groups_.insert_or_assign(key, group);
} catch (const std::bad_alloc&) {
  erase(key);
}

void Described::erase(std::uint64_t key) noexcept {
  const std::lock_guard guard(lock_);
  groups_.erase(key);
}

std::optional<Group> Described::find(std::uint64_t key) const {
  const std::lock_guard guard(lock_);
  const auto found = groups_.find(key);
  return found == groups_.end() ? std::nullopt : std::optional(found->second);
}

}  // namespace heddle::group
