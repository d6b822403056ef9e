// mpi/types/content_cache.cpp: the list is in order of use, and its last entries go when the room
// is used up.
#include "mpi/types/content_cache.hpp"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <new>

namespace heddle::mpi {

Entry* ContentCache::find(const Contents& contents, std::uint64_t hash) noexcept {
  const auto found = by_hash_.find(hash);
  if (found == by_hash_.end()) return nullptr;
  const std::vector<std::byte>& kept = found->second->row;
  const std::span<const std::byte> row = contents.row();
  if (kept.size() != row.size() || std::memcmp(kept.data(), row.data(), row.size()) != 0) return nullptr;
  items_.splice(items_.begin(), items_, found->second);
  return found->second->entry;
}

void ContentCache::add(const Contents& contents, std::uint64_t hash, Entry* entry) noexcept try {
  const auto row = contents.row();
  if (const auto other = by_hash_.find(hash); other != by_hash_.end()) drop(other->second);
  Items fresh;
  fresh.push_back({hash, {row.begin(), row.end()}, entry});
  by_hash_.emplace(hash, fresh.begin());
  entry->retain();
  items_.splice(items_.begin(), fresh);
  bytes_ += row.size();
  while (items_.size() > most_items || bytes_ > most_bytes) drop(std::prev(items_.end()));
} catch (const std::bad_alloc&) {
  return;
}

void ContentCache::clear() noexcept {
  while (!items_.empty()) drop(items_.begin());
}

bool ContentCache::meet(std::uint64_t hash) noexcept {
  if (std::ranges::find(met_, hash) != met_.end()) return true;
  met_[next_met_++ % met_.size()] = hash;
  return false;
}

void ContentCache::drop(Items::iterator item) noexcept {
  by_hash_.erase(item->hash);
  bytes_ -= item->row.size();
  item->entry->release();
  items_.erase(item);
}

}  // namespace heddle::mpi
