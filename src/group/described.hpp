// group/described.hpp: groups by the numbers of their handles. No MPI in this room.
//
//   Described groups;
//   groups.insert(key, range_incl(world, ranges));          // when a call has made the group
//   if (const std::optional<Group> group = groups.find(key)) ...
//   groups.erase(key);                                       // before the group is freed
#pragma once

#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "group/group.hpp"

namespace heddle::group {

/// Safe for several threads.
class Described {
 public:
  /// Replaces the group of this key. Without memory for the new group, the key has no group
  /// afterwards.
  void insert(std::uint64_t key, const Group& group) noexcept;
  void erase(std::uint64_t key) noexcept;
  /// Throws std::bad_alloc.
  [[nodiscard]] std::optional<Group> find(std::uint64_t key) const;

 private:
  mutable std::mutex lock_;
  std::unordered_map<std::uint64_t, Group> groups_;
};

}  // namespace heddle::group
