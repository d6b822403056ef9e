// mpi/types/content_cache.hpp: datatypes that were decoded, found by their contents: programs make the same type again and
// again, use it once and free it. A few hundred, and a few megabytes: the types that were longest without use go first.
// Includes contents.hpp, entry.hpp.
//
//   if (Entry* alike = cache.find(row, hash)) return alike;   // a use is the caller's to take
//   cache.add(row, hash, entry);
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <unordered_map>
#include <vector>

#include "mpi/types/contents.hpp"
#include "mpi/types/entry.hpp"

namespace heddle::mpi {

/// Not safe for several threads.
class ContentCache {
 public:
  /// Null: none that is kept. It lives until the next add() or clear(), unless somebody retains it.
  [[nodiscard]] Entry* find(const Contents& contents, std::uint64_t hash) noexcept;
  /// Takes one use more of `entry`. Without memory the cache is as before.
  void add(const Contents& contents, std::uint64_t hash, Entry* entry) noexcept;
  void clear() noexcept;
  /// True if one of the last 256 calls had this hash.
  bool meet(std::uint64_t hash) noexcept;

 private:
  static constexpr std::size_t most_items = 512;
  static constexpr std::size_t most_bytes = 8 << 20;  ///< Of rows. Layouts take about as much.
  static_assert(Contents::longest <= most_bytes / 4);

  struct Item {
    std::uint64_t hash;
    std::vector<std::byte> row;
    Entry* entry;
  };
  using Items = std::list<Item>;
  void drop(Items::iterator item) noexcept;

  Items items_;  // the last used comes first
  std::unordered_map<std::uint64_t, Items::iterator> by_hash_;
  std::size_t bytes_ = 0;
  std::array<std::uint64_t, 256> met_{};  // the hashes of contents that were looked at and not decoded
  std::size_t next_met_ = 0;
};

}  // namespace heddle::mpi
