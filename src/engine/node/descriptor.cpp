// engine/node/descriptor.cpp: sealing and checking.
#include "engine/node/descriptor.hpp"

#include <bit>

#include "engine/node/lengths.hpp"

namespace heddle::engine {
namespace {

/// FNV-1a over all but the sum itself. It guards against damage, not malice: ranks of one job trust
/// each other's memory anyway.
std::uint32_t sum_of(const Descriptor& descriptor) noexcept {
  const auto* words = reinterpret_cast<const unsigned char*>(&descriptor);
  std::uint64_t hash = 0xcbf29ce484222325U;
  for (std::size_t at = 0; at < offsetof(Descriptor, length); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, words + at, sizeof word);
    hash = (hash ^ word) * 0x100000001b3U;
  }
  hash = (hash ^ descriptor.length) * 0x100000001b3U;
  return static_cast<std::uint32_t>(hash ^ (hash >> 32));
}

}  // namespace

void seal(Descriptor& descriptor) noexcept { descriptor.sum = sum_of(descriptor); }

bool read(const void* arrived, const Nonce& nonce, std::uint32_t node_ranks, Bytes memory, Descriptor& descriptor) noexcept {
  unsigned char pullable = 0;
  std::memcpy(&pullable, static_cast<const unsigned char*>(arrived) + offsetof(Descriptor, pullable), 1);
  if (pullable > 1) return false;
  std::memcpy(&descriptor, arrived, sizeof descriptor);
  if (descriptor.nonce != nonce || descriptor.sum != sum_of(descriptor) || descriptor.sender >= node_ranks) return false;
  if (descriptor.scheme > Scheme::both || descriptor.total <= 0 || descriptor.count <= 0) return false;
  if (!Lengths::possible(descriptor.length)) return false;

  const Bytes segment = descriptor.segment;
  if (segment < line_bytes || segment > slot_bytes || !std::has_single_bit(static_cast<std::uint64_t>(segment))) return false;
  if (descriptor.segments() > Arena::most_segments) return false;

  const auto size = static_cast<std::uint64_t>(memory);
  const auto control = static_cast<std::uint64_t>(Control::bytes(descriptor.segments()));
  if (descriptor.control % alignof(Control) != 0 || descriptor.control < Arena::head) return false;
  if (control > size || descriptor.control > size - control) return false;
  return descriptor.wire <= size && descriptor.wire_bytes <= size - descriptor.wire;
}

}  // namespace heddle::engine
