// Each scheme over each provider, with random layouts. The data arrive as pack and unpack move
// them.
#include <gtest/gtest.h>
#include <sched.h>

#include <tuple>

#include "job.hpp"
#include "layout/pack.hpp"
#include "samples.hpp"

namespace heddle::transport::fabric::testing {
namespace {

class Schemes : public ::testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  void SetUp() override {
    if (!there_is(provider())) GTEST_SKIP() << "no " << provider();
  }
  static std::string provider() { return std::get<0>(GetParam()); }
  static const Way& way() { return ways[std::get<1>(GetParam())]; }
};

/// The receiver's memory after the message.
std::vector<std::byte> expected(Sized& from, Memory& source, Sized& to, Memory target) {
  const Bytes total = from.count * from.type.layout.size();
  std::vector<std::byte> stream(static_cast<std::size_t>(total));
  layout::pack(from.type.layout, from.count, source.base(), stream.data());
  layout::unpack_range(to.type.layout, to.count, target.base(), 0, total, stream.data());
  return target.bytes();
}

TEST_P(Schemes, RandomLayoutsArriveAsPackAndUnpackHaveThem) {
  run_job(2, provider(), [&](Job& job) {
    const auto fabric = job.open();
    ASSERT_TRUE(fabric);
    std::mt19937 random(static_cast<unsigned>(std::get<1>(GetParam())) + 17);
    for (int round = 0; round < 12; ++round) {
      constexpr Bytes sizes[] = {1, 333, 10'007, 70'001, 120'009};
      Sized from = sendable(random, sizes[round % 5]);
      const Bytes total = from.count * from.type.layout.size();
      Sized to = receivable(random, total);
      Memory source(from.type, from.count, static_cast<unsigned>(round));
      Memory target(to.type, to.count, static_cast<unsigned>(round) + 1000);
      Plan plan = way().plan;
      plan.segment = std::array<Bytes, 4>{64 << 10, 1000, 4097, 16 << 10}[random() % 4];
      plan.list = random() % 2 == 0;
      plan.enlist = random() % 2 == 0;
      const Acceptance acceptance{.in_place = way().in_place, .window = 1 + random() % 9, .segment_unpack = random() % 4 != 0};
      const std::string what = std::string(way().name) + " round " + std::to_string(round) + ": " + std::to_string(from.count) +
                               " " + from.type.text + " to " + std::to_string(to.count) + " " + to.type.text;
      if (job.me == 0) {
        Outgoing out(*fabric, {&from.type.layout, from.count, source.base()}, plan);
        job.bring(*fabric, 1, out.announcement());
        ASSERT_EQ(drive(out), State::done) << what << ": " << words(out.failure());
        EXPECT_TRUE(out.buffer_free());
      } else {
        Incoming in(*fabric, job.take(*fabric, 0), {&to.type.layout, to.count, target.base()}, acceptance);
        const auto wanted = expected(from, source, to, target);
        ASSERT_EQ(drive(in), State::done) << what << ": " << words(in.failure());
        ASSERT_EQ(target.bytes() == wanted, true) << what;
      }
    }
    job.barrier(*fabric);
    EXPECT_EQ(fabric->segments().out(), 0u);
    EXPECT_EQ(fabric->damaged(), 0u);
  });
}

TEST_P(Schemes, ThreeProcessesSendToEachOtherAtOnce) {
  run_job(3, provider(), [&](Job& job) {
    const auto fabric = job.open();
    ASSERT_TRUE(fabric);
    const layout::Layout rows = layout::vector(64, 37, 91, layout::basic(3));
    const layout::Layout columns = layout::vector(37, 64, 101, layout::basic(3));
    constexpr Count count = 12;
    const auto bytes = [](const layout::Layout& layout) {
      return static_cast<std::size_t>(layout.extent() * count + layout.true_extent());
    };
    for (int round = 0; round < 8; ++round) {
      std::vector<std::vector<std::byte>> sources;
      std::vector<std::vector<std::byte>> targets;
      std::vector<std::unique_ptr<Outgoing>> outs;
      std::vector<std::unique_ptr<Incoming>> ins;
      const auto content = [&](int from, int to, std::size_t i) {
        return static_cast<std::byte>(i * 7 + static_cast<std::size_t>(from * 31 + to * 5 + round));
      };
      for (int to = 0; to < job.size; ++to) {
        if (to == job.me) continue;
        std::vector<std::byte>& source = sources.emplace_back(bytes(rows));
        for (std::size_t i = 0; i < source.size(); ++i) source[i] = content(job.me, to, i);
        outs.push_back(std::make_unique<Outgoing>(*fabric, Elements{&rows, count, source.data()}, way().plan));
        job.bring(*fabric, to, outs.back()->announcement());
      }
      for (int from = 0; from < job.size; ++from) {
        if (from == job.me) continue;
        targets.emplace_back(bytes(columns));
        ins.push_back(std::make_unique<Incoming>(*fabric, job.take(*fabric, from),
                                                 Elements{&columns, count, targets.back().data()},
                                                 Acceptance{.in_place = way().in_place, .window = 2}));
      }
      for (bool working = true; working;) {
        working = false;
        for (const auto& out : outs) working |= out->progress() == State::working;
        for (const auto& in : ins) working |= in->progress() == State::working;
        sched_yield();
      }
      std::size_t next = 0;
      for (int from = 0; from < job.size; ++from) {
        if (from == job.me) continue;
        ASSERT_EQ(ins[next]->state(), State::done) << words(ins[next]->failure());
        std::vector<std::byte> source(bytes(rows));
        for (std::size_t i = 0; i < source.size(); ++i) source[i] = content(from, job.me, i);
        std::vector<std::byte> stream(static_cast<std::size_t>(rows.size() * count));
        layout::pack(rows, count, source.data(), stream.data());
        std::vector<std::byte> wanted(bytes(columns));
        layout::unpack(columns, count, wanted.data(), stream.data());
        ASSERT_TRUE(targets[next] == wanted) << way().name << " from " << from;
        ++next;
      }
      job.barrier(*fabric);
    }
    EXPECT_EQ(fabric->segments().out(), 0u);
  });
}

// The loop advances the fabric, and does not ask the message.
TEST_P(Schemes, WhoWaitsForAnyMovesAll) {
  if (!there_is(provider())) GTEST_SKIP() << "no provider " << provider();
  run_job(2, provider(), [&](Job& job) {
    const auto fabric = job.open();
    ASSERT_TRUE(fabric);
    const layout::Layout rows = layout::vector(300, 37, 91, layout::basic(3));
    std::vector<std::byte> memory(static_cast<std::size_t>(rows.true_extent()));
    std::vector<std::byte> all(memory.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::byte>(i * 7);
    if (job.me == 0) memory = all;
    std::unique_ptr<Message> message;
    if (job.me == 0) {
      auto out = std::make_unique<Outgoing>(*fabric, Elements{&rows, 1, memory.data()}, way().plan);
      job.bring(*fabric, 1, out->announcement());
      message = std::move(out);
    } else {
      message = std::make_unique<Incoming>(*fabric, job.take(*fabric, 0), Elements{&rows, 1, memory.data()},
                                           Acceptance{.in_place = way().in_place, .window = 2});
    }
    while (message->state() == State::working) fabric->advance();
    ASSERT_EQ(message->state(), State::done) << words(message->failure());
    std::vector<std::byte> stream(static_cast<std::size_t>(rows.size()));
    std::vector<std::byte> wanted(stream.size());
    layout::pack(rows, 1, memory.data(), stream.data());
    layout::pack(rows, 1, all.data(), wanted.data());
    EXPECT_TRUE(stream == wanted);
    message.reset();
    while (!fabric->settled()) fabric->advance();
    job.barrier(*fabric);
  });
}

INSTANTIATE_TEST_SUITE_P(Over, Schemes, ::testing::Combine(::testing::ValuesIn(providers()), ::testing::Range(0, 4)),
                         [](const auto& tested) {
                           std::string name =
                               short_name(std::get<0>(tested.param)) + "_" + ways[std::get<1>(tested.param)].name;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace heddle::transport::fabric::testing
