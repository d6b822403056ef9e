// mpi/types/content_cache.hpp: finds decoded datatypes by their contents. Programs make the same
// type again and again, use it once and free it. The cache keeps a few hundred types in a few
// megabytes. The type that was unused for longest goes first.
//
//   if (Entry* alike = cache.find(row, hash)) return alike;   // the caller must retain() it
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
  /// Null: no such type is kept. The entry lives until the next add() or clear(), unless the caller
  /// retains it.
  [[nodiscard]] Entry* find(const Contents& contents, std::uint64_t hash) noexcept;
  /// Retains `entry`. The cache stays as it was if there is no memory.
  void add(const Contents& contents, std::uint64_t hash, Entry* entry) noexcept;
  void clear() noexcept;
  /// True if one of the last 256 calls had this hash.
  bool meet(std::uint64_t hash) noexcept;

 private:
  static constexpr std::size_t most_items = 512;
  static constexpr std::size_t most_bytes = 8 << 20;  ///< Bytes of all rows. The layouts take about as much.
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
