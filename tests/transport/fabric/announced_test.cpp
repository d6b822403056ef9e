// What announces a message is not trusted: whatever arrives in its place ends in an error, or in the data, and touches nothing
// else.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "job.hpp"
#include "layout/pack.hpp"
#include "mpi/network/descriptor.hpp"

namespace heddle::transport::fabric::testing {
namespace {

using mpi::NetworkDescriptor;

constexpr engine::Nonce nonce{0x1234567890abcdef, 0xfedcba0987654321};
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
  mpi::seal(descriptor);
  return descriptor;
}

bool readable(const NetworkDescriptor& descriptor) {
  NetworkDescriptor read;
  return mpi::read(&descriptor, nonce, ranks, read);
}

TEST(Descriptor, OfASenderIsRead) { EXPECT_TRUE(readable(sound())); }

TEST(Descriptor, EveryBitIsGuarded) {
  for (std::size_t bit = 0; bit < 8 * sizeof(NetworkDescriptor); ++bit) {
    NetworkDescriptor damaged = sound();
    reinterpret_cast<unsigned char*>(&damaged)[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
    EXPECT_FALSE(readable(damaged)) << "bit " << bit;
  }
}

TEST(Descriptor, RandomBytesAreNone) {
  std::mt19937_64 random(11);
  for (int round = 0; round < 50'000; ++round) {
    NetworkDescriptor forged = sound();
    auto* const bytes = reinterpret_cast<unsigned char*>(&forged);
    // All behind the nonce, or some of it.
    const std::size_t from = sizeof nonce + (round % 2 == 0 ? 0 : random() % (sizeof forged - sizeof nonce));
    const std::size_t to = round % 2 == 0 ? sizeof forged : std::min(sizeof forged, from + 1 + random() % 16);
    const NetworkDescriptor before = forged;
    for (std::size_t i = from; i < to; ++i) bytes[i] = static_cast<unsigned char>(random());
    if (std::memcmp(&before, &forged, sizeof forged) != 0) {
      EXPECT_FALSE(readable(forged)) << round;
    }
  }
}

TEST(Descriptor, SealedNumbersThatMakeNoSense) {
  const auto forged = [](auto change) {
    NetworkDescriptor descriptor = sound();
    change(descriptor);
    seal(descriptor.announcement, nonce[0]);
    mpi::seal(descriptor);
    return readable(descriptor);
  };
  EXPECT_TRUE(forged([](NetworkDescriptor&) {}));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.sender = ranks; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.sender = -1; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.total = 0; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.total = d.announcement.total = -4; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.total += 1; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.announcement.segment = 0; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.announcement.address_bytes = most_address + 1; }));
  EXPECT_FALSE(forged([](NetworkDescriptor& d) { d.announcement.if_in_place = static_cast<Scheme>(4); }));
}

const layout::Layout rows = layout::vector(301, 37, 91, layout::basic(3));
constexpr Count count = 9;
constexpr std::size_t guard = 4096;
const std::int64_t short_patience = 300'000'000 * transport::testing::slowness();

class Announced : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!there_is(GetParam())) GTEST_SKIP() << "no " << GetParam();
  }
};

/// Sealed as it should be, by a sender that means something else.
TEST_P(Announced, WhatASenderDoesNotMeanIsAnErrorOrTheData) {
  run_job(2, GetParam(), [&](Job& job) {
    const auto fabric = job.open({.patience = short_patience});
    ASSERT_TRUE(fabric);
    std::mt19937_64 random(23);  // the same in both
    const auto bytes = static_cast<std::size_t>(rows.extent() * count + rows.true_extent());
    for (int round = 0; round < 32; ++round) {
      const Way& way = ways[round % 4];
      std::vector<std::byte> memory(bytes + 2 * guard, static_cast<std::byte>(0x5a));
      std::byte* const base = memory.data() + guard;
      for (std::size_t i = 0; i < bytes; ++i) base[i] = static_cast<std::byte>(i * 13 + static_cast<std::size_t>(job.me));
      const std::vector<std::byte> before = memory;
      const std::uint64_t what = random() % 5;
      const std::uint64_t value = random();
      if (job.me == 0) {
        Outgoing out(*fabric, {&rows, count, base}, way.plan);
        Announcement forged = out.announcement();
        if (what == 0) forged.segment = static_cast<Bytes>(value % (1U << 20) + 1);
        if (what == 1) forged.segment = std::numeric_limits<Bytes>::max();
        if (what == 2) forged.if_unpacks = value % 2 ? Scheme::bc_spup : Scheme::rwg_up;
        if (what == 2) forged.if_in_place = value / 2 % 2 ? Scheme::p_rrs : Scheme::multi_w;
        if (what == 3) forged.provider ^= static_cast<std::uint8_t>(1 + value % 255);
        if (what == 4) forged.total += static_cast<Bytes>(1 + value % (1U << 30));
        seal(forged, fabric->options().nonce);
        job.bring(*fabric, 1, forged);
        // A receiver that never answers is for the caller to end.
        for (std::int64_t until = steady_ns() + 200'000'000;
             out.state() == State::working && !out.answered() && steady_ns() < until;)
          out.progress();
        if (out.answered()) drive(out);
      } else {
        Incoming in(*fabric, job.take(*fabric, 0), {&rows, count, base}, {.in_place = way.in_place});
        const State state = drive(in);
        std::vector<std::byte> wanted = before;
        if (state == State::done) {
          std::vector<std::byte> source(bytes);
          for (std::size_t i = 0; i < bytes; ++i) source[i] = static_cast<std::byte>(i * 13);
          std::vector<std::byte> stream(static_cast<std::size_t>(rows.size() * count));
          layout::pack(rows, count, source.data(), stream.data());
          layout::unpack(rows, count, wanted.data() + guard, stream.data());
          EXPECT_TRUE(memory == wanted) << way.name << " " << what;
        }
        // Holes, and what lies before and behind, are as they were.
        layout::Cursor cursor(rows, count);
        while (!cursor.done()) {
          const layout::Segment block = cursor.next();
          const auto at = memory.begin() + static_cast<std::ptrdiff_t>(guard) + block.offset;
          std::copy(before.begin() + (at - memory.begin()), before.begin() + (at - memory.begin()) + block.length, at);
        }
        EXPECT_TRUE(memory == before) << way.name << " " << what;
      }
      job.barrier(*fabric);
    }
    EXPECT_EQ(fabric->segments().out(), 0u);
  });
}

INSTANTIATE_TEST_SUITE_P(Over, Announced, ::testing::ValuesIn(providers()),
                         [](const auto& tested) { return short_name(tested.param); });

}  // namespace
}  // namespace heddle::transport::fabric::testing
