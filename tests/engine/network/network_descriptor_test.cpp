// An announcement of a fabric message is read only if it is sound.
#include "engine/network/network_descriptor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <random>

namespace heddle::engine::network_descriptor_test {
namespace {

constexpr Nonce nonce{0x1234567890abcdef, 0xfedcba0987654321};
constexpr int ranks = 7;

NetworkDescriptor sound() {
  NetworkDescriptor descriptor;
  descriptor.nonce = nonce;
  descriptor.sender = 3;
  descriptor.total = 100'000;
  descriptor.announcement.total = 100'000;
  descriptor.announcement.segment = 65'536;
  descriptor.announcement.from = 77;
  descriptor.announcement.address_bytes = 16;
  seal(descriptor.announcement, nonce[0]);
  seal(descriptor);
  return descriptor;
}

bool readable(const NetworkDescriptor& descriptor) {
  NetworkDescriptor read;
  return engine::read(&descriptor, nonce, ranks, read);
}

TEST(NetworkDescriptor, OfASenderIsRead) { EXPECT_TRUE(readable(sound())); }

TEST(NetworkDescriptor, EveryBitIsGuarded) {
  for (std::size_t bit = 0; bit < 8 * sizeof(NetworkDescriptor); ++bit) {
    NetworkDescriptor damaged = sound();
    reinterpret_cast<unsigned char*>(&damaged)[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
    EXPECT_FALSE(readable(damaged)) << "bit " << bit;
  }
}

TEST(NetworkDescriptor, RandomBytesAreNone) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 50'000; ++round) {
    NetworkDescriptor forged = sound();
    auto* const bytes = reinterpret_cast<unsigned char*>(&forged);
    // All bytes behind the nonce, or some of them.
    const std::size_t from = sizeof nonce + (round % 2 == 0 ? 0 : random() % (sizeof forged - sizeof nonce));
    const std::size_t to = round % 2 == 0 ? sizeof forged : std::min(sizeof forged, from + 1 + random() % 16);
    const NetworkDescriptor before = forged;
    for (std::size_t i = from; i < to; ++i) bytes[i] = static_cast<unsigned char>(random());
    if (std::memcmp(&before, &forged, sizeof forged) != 0) {
      EXPECT_FALSE(readable(forged)) << round;
    }
  }
}

TEST(NetworkDescriptor, SealedNumbersThatMakeNoSense) {
  const auto forged = [](auto change) {
    NetworkDescriptor descriptor = sound();
    change(descriptor);
    seal(descriptor.announcement, nonce[0]);
    seal(descriptor);
    return readable(descriptor);
  };
  EXPECT_TRUE(forged([](NetworkDescriptor&) {}));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.sender = ranks; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.sender = -1; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.total = 0; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.total = d.announcement.total = -4; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.total += 1; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.announcement.segment = 0; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.announcement.address_bytes = transport::fabric::most_address + 1; }));
  EXPECT_FALSE(
      forged([](NetworkDescriptor& d) { d.announcement.if_in_place = static_cast<transport::fabric::FabricScheme>(4); }));
}

}  // namespace
}  // namespace heddle::engine::network_descriptor_test
