// mpi/types/content_cache.cpp: eight types of a set. If all rows take too much room, the type that
// was unused for longest goes, whatever its set.
#include "mpi/types/content_cache.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

namespace heddle::mpi {

Entry* ContentCache::find(const Contents& contents, std::uint64_t hash) noexcept {
  const std::span<const std::byte> row = contents.row();
  const std::size_t set = set_of(hash);
  for (std::size_t way = 0; way < ways; ++way) {
    if (hashes_[set][way] != hash) continue;
    Item& item = items_[set][way];
    if (!item.entry || item.row.size() != row.size() || std::memcmp(item.row.data(), row.data(), row.size()) != 0) continue;
    item.last_use = ++uses_;
    return item.entry;
  }
  return nullptr;
}

void ContentCache::add(const Contents& contents, std::uint64_t hash, Entry* entry) noexcept try {
  std::vector<std::byte> row(contents.row().begin(), contents.row().end());
  const std::size_t set = set_of(hash);
  Item& item = *std::ranges::min_element(items_[set], {}, &Item::last_use);
  drop(item);
  hashes_[set][static_cast<std::size_t>(&item - items_[set].data())] = hash;
  bytes_ += row.size();
  item = {.entry = entry, .last_use = ++uses_, .row = std::move(row)};
  entry->retain();
  while (bytes_ > most_bytes) drop_oldest(item);
} catch (const std::bad_alloc&) {
  return;
}

void ContentCache::clear() noexcept {
  for (auto& set : items_) std::ranges::for_each(set, [this](Item& item) { drop(item); });
}

bool ContentCache::meet(std::uint64_t hash) noexcept {
  if (std::ranges::find(met_, hash) != met_.end()) return true;
  met_[next_met_++ % met_.size()] = hash;
  return false;
}

/// An empty item stays empty.
void ContentCache::drop(Item& item) noexcept {
  if (!item.entry) return;
  bytes_ -= item.row.size();
  item.entry->release();
  item = {};
}

void ContentCache::drop_oldest(const Item& but) noexcept {
  Item* oldest = nullptr;
  for (auto& set : items_)
    for (Item& item : set)
      if (item.entry && &item != &but && (!oldest || item.last_use < oldest->last_use)) oldest = &item;
  if (oldest) drop(*oldest);
}

}  // namespace heddle::mpi
