// Announcements are not trusted. Whatever arrives as one ends in an error or in the data, and
// touches nothing else.
#include <gtest/gtest.h>
#include <sched.h>

#include <algorithm>
#include <random>

#include "job.hpp"
#include "layout/pack.hpp"

namespace heddle::transport::fabric::testing::announced_test {
namespace {

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

/// The seal is right, but the sender means something else.
TEST_P(Announced, WhatASenderDoesNotMeanIsAnErrorOrTheData) {
  run_job(2, GetParam(), [&](Job& job) {
    const auto fabric = job.open({.patience = short_patience});
    ASSERT_TRUE(fabric);
    std::mt19937_64 random(23);  // the same numbers on both sides
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
        if (what == 2) forged.if_unpacks = value % 2 ? FabricScheme::bc_spup : FabricScheme::rwg_up;
        if (what == 2) forged.if_in_place = value / 2 % 2 ? FabricScheme::p_rrs : FabricScheme::multi_w;
        if (what == 3) forged.provider ^= static_cast<std::uint8_t>(1 + value % 255);
        if (what == 4) forged.total += static_cast<Bytes>(1 + value % (1U << 30));
        seal(forged, fabric->options().nonce);
        job.bring(*fabric, 1, forged);
        // The caller must end a message whose receiver has ended without an answer.
        while (out.state() == State::working && !out.answered() && job.board->received == round) {
          out.progress();
          sched_yield();
        }
        if (out.answered()) drive(out);
      } else {
        Incoming in(*fabric, job.take(*fabric, 0), {&rows, count, base}, {.in_place = way.in_place});
        const State state = drive(in);
        job.board->received = round + 1;
        std::vector<std::byte> wanted = before;
        if (state == State::done) {
          std::vector<std::byte> source(bytes);
          for (std::size_t i = 0; i < bytes; ++i) source[i] = static_cast<std::byte>(i * 13);
          std::vector<std::byte> stream(static_cast<std::size_t>(rows.size() * count));
          layout::pack(rows, count, source.data(), stream.data());
          layout::unpack(rows, count, wanted.data() + guard, stream.data());
          EXPECT_TRUE(memory == wanted) << way.name << " " << what;
        }
        // The holes, and the bytes before and behind, are as they were.
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
}  // namespace heddle::transport::fabric::testing::announced_test
