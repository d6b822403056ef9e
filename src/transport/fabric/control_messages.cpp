// transport/fabric/control_messages.cpp: seals control messages that leave, and checks those that
// arrive.
#include "transport/fabric/control_messages.hpp"

#include <cstring>

namespace heddle::transport::fabric {
namespace {

/// FNV-1a over words. It protects against damage, not against malice.
std::uint64_t sum(const void* data, std::size_t bytes) noexcept {
  std::uint64_t hash = 0xcbf29ce484222325U;
  const auto* at = static_cast<const std::byte*>(data);
  for (; bytes >= 8; at += 8, bytes -= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, at, 8);
    hash = (hash ^ word) * 0x100000001b3U;
    hash ^= hash >> 29;
  }
  return hash;
}
static_assert(sizeof(Control) % 8 == 0 && offsetof(Control, place) % 8 == 0 && offsetof(Announcement, sum) % 8 == 0);

std::uint64_t sum_of(const Control& control) noexcept {
  return sum(reinterpret_cast<const std::byte*>(&control) + sizeof control.sum, bytes_of(control) - sizeof control.sum);
}

}  // namespace

void seal(Control& control, std::uint64_t nonce) noexcept {
  control.nonce = nonce;
  control.sum = sum_of(control);
}

void seal(Announcement& announcement, std::uint64_t nonce) noexcept {
  announcement.nonce = nonce;
  announcement.sum = sum(&announcement, offsetof(Announcement, sum));
}

bool read(std::span<const std::byte> arrived, std::uint64_t nonce, Control& control) noexcept {
  if (arrived.size() < offsetof(Control, place) || arrived.size() > sizeof control) return false;
  control = {};
  // A bool with another value than 0 or 1 would be undefined behaviour.
  if (std::to_integer<unsigned>(arrived[offsetof(Control, in_place)]) > 1) return false;
  std::memcpy(&control, arrived.data(), arrived.size());
  return control.nonce == nonce && control.places <= most_places && bytes_of(control) == arrived.size() &&
         control.kind <= last_kind && control.failure <= last_failure && control.segment >= 0 && control.length >= 0 &&
         control.count >= 0 && control.address_bytes <= most_address && control.sum == sum_of(control);
}

bool read(std::span<const std::byte> arrived, std::uint64_t nonce, Announcement& announcement) noexcept {
  if (arrived.size() < sizeof announcement) return false;
  std::memcpy(&announcement, arrived.data(), sizeof announcement);
  return announcement.nonce == nonce && announcement.total > 0 && announcement.segment > 0 &&
         announcement.if_unpacks <= FabricScheme::multi_w && announcement.if_in_place <= FabricScheme::multi_w &&
         announcement.address_bytes <= most_address && announcement.sum == sum(&announcement, offsetof(Announcement, sum));
}

}  // namespace heddle::transport::fabric
