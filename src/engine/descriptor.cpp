// engine/descriptor.cpp: sealing and checking.
#include "engine/descriptor.hpp"

namespace heddle::engine {
namespace {

/// FNV-1a over all but the sum itself: against damage, not against malice (ranks of one job trust each other's memory anyway).
std::uint32_t sum_of(const Descriptor& descriptor) noexcept {
  const auto* words = reinterpret_cast<const unsigned char*>(&descriptor);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t at = 0; at < offsetof(Descriptor, spare); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, words + at, sizeof word);
    hash = (hash ^ word) * 0x100000001b3U;
  }
  hash = (hash ^ descriptor.spare) * 0x100000001b3U;
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

void seal(Descriptor& descriptor) noexcept { descriptor.sum = sum_of(descriptor); }

bool read(const void* arrived, const Nonce& nonce, std::uint32_t node_ranks, Bytes memory, Descriptor& descriptor) noexcept {
  std::memcpy(&descriptor, arrived, sizeof descriptor);
  const auto size = static_cast<std::uint64_t>(memory);
  if (descriptor.nonce != nonce || descriptor.sum != sum_of(descriptor) || descriptor.sender >= node_ranks) return false;
  if (descriptor.total <= 0 || descriptor.segment <= 0 || descriptor.scheme > Scheme::both) return false;
  if (descriptor.control % alignof(Control) != 0 || descriptor.control >= size) return false;
  if (descriptor.segments() > static_cast<Count>((size - descriptor.control) / sizeof(Cell))) return false;
  if (descriptor.control + static_cast<std::uint64_t>(Control::bytes(descriptor.segments())) > size) return false;
  return descriptor.wire <= size && descriptor.wire_bytes <= size - descriptor.wire;
}

}  // namespace heddle::engine
