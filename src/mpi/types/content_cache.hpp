// mpi/types/content_cache.hpp: finds decoded datatypes by their contents. Programs make the same
// type again and again, use it once and free it. The cache keeps a few hundred types in a few
// megabytes. It is set-associative: in a set, the type that was unused for longest goes first.
//
//   if (Entry* alike = cache.find(row, hash)) return alike;   // the caller must retain() it
//   cache.add(row, hash, entry);
#pragma once

#include <array>
#include <cstdint>
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
  // At a look-up, this memory is often in no cache of the processor. So a look-up reads few lines:
  // the hashes of a set, an item, and its row.
  static constexpr std::size_t sets = 64, ways = 8;
  static constexpr std::size_t most_bytes = 8 << 20;  ///< Bytes of all rows. The layouts take about as much.
  static_assert(Contents::longest <= most_bytes / 4);

  struct Item {
    Entry* entry = nullptr;
    std::uint64_t last_use = 0;
    std::vector<std::byte> row;
  };
  static std::size_t set_of(std::uint64_t hash) noexcept { return hash >> 58U; }
  static_assert(sets == std::size_t{1} << (64U - 58U));
  void drop(Item& item) noexcept;
  void drop_oldest(const Item& but) noexcept;

  alignas(64) std::array<std::array<std::uint64_t, ways>, sets> hashes_{};
  std::array<std::array<Item, ways>, sets> items_{};
  std::uint64_t uses_ = 0;
  std::size_t bytes_ = 0;
  std::array<std::uint64_t, 256> met_{};  // the hashes of contents that were looked at and not decoded
  std::size_t next_met_ = 0;
};

}  // namespace heddle::mpi
