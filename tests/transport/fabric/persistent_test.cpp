// The registrations of a persistent operation. The first start that needs them makes them, once,
// and they stay until the operation is freed.
#include <gtest/gtest.h>

#include "job.hpp"
#include "layout/pack.hpp"

namespace heddle::transport::fabric::testing::persistent_test {
namespace {

const layout::Layout rows = layout::vector(301, 37, 91, layout::basic(3));
constexpr Count count = 9;
constexpr int starts = 8;

class Persistent : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!there_is(GetParam())) GTEST_SKIP() << "no " << GetParam();
  }
};

/// One end of an operation that is started many times.
struct End {
  Job& job;
  Fabric& fabric;
  Way way;
  Holding kept{};
  std::vector<std::byte> memory = std::vector<std::byte>(static_cast<std::size_t>(rows.extent() * count + rows.true_extent()));

  void write(int seed) {
    for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 13 + static_cast<std::size_t>(seed));
  }
  std::vector<std::byte> stream(Count elements) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(rows.size() * elements));
    layout::pack(rows, elements, memory.data(), bytes.data());
    return bytes;
  }

  /// Sends `elements` elements from 0 to 1. With `keeps`, uses the registrations that the last
  /// start has left.
  void start(int seed, bool keeps, Count elements = count) {
    write(seed);
    const std::vector<std::byte> sent = stream(elements);
    way.plan.enlist = true;
    way.plan.kept = keeps ? &kept : nullptr;
    if (job.me == 0) {
      Outgoing out(fabric, {&rows, elements, memory.data()}, way.plan);
      job.bring(fabric, 1, out.announcement());
      EXPECT_EQ(drive(out), State::done) << way.name;
    } else {
      write(seed + 1);
      Incoming in(fabric, job.take(fabric, 0), {&rows, count, memory.data()},
                  {.in_place = way.in_place, .kept = keeps ? &kept : nullptr});
      EXPECT_EQ(drive(in), State::done) << way.name;
      EXPECT_TRUE(stream(elements) == sent) << way.name;
    }
    job.barrier(fabric);
  }

  /// The network gets the blocks as they lie.
  [[nodiscard]] bool registers() const {
    if (job.me == 0)
      return way.plan.if_unpacks == FabricScheme::rwg_up || (way.in_place && way.plan.if_in_place == FabricScheme::multi_w);
    return way.in_place && (way.plan.if_in_place == FabricScheme::multi_w || fabric.abilities().local_registration);
  }
};

TEST_P(Persistent, StartsRegisterOnce) {
  for (const Way& way : ways)
    run_job(2, GetParam(), [&](Job& job) {
      const auto fabric = job.open({.keep = Keep::never});
      ASSERT_TRUE(fabric);
      End end{job, *fabric, way};
      const Registrations& registrations = fabric->registrations();
      for (int i = 0; i < starts; ++i) end.start(i, true);
      const std::uint64_t once = registrations.calls();
      EXPECT_EQ(once, end.registers() ? 1u : 0u) << way.name << " " << job.me;
      for (int i = 0; i < starts; ++i) end.start(i, false);
      EXPECT_EQ(registrations.calls(), once * (1 + starts)) << "where nothing is kept, each message registers";
      fabric->registrations().drop(end.kept);
    });
}

TEST_P(Persistent, AShortMessageRegistersForALongOne) {
  run_job(2, GetParam(), [&](Job& job) {
    const auto fabric = job.open({.keep = Keep::never});
    ASSERT_TRUE(fabric);
    End end{job, *fabric, ways[3]};
    for (const Count elements : {Count{1}, count, Count{2}, count})
      end.start(static_cast<int>(elements), job.me == 1, elements);
    if (job.me == 1) {
      EXPECT_EQ(fabric->registrations().calls(), 1u);
    }
    fabric->registrations().drop(end.kept);
  });
}

TEST_P(Persistent, WhatIsWithdrawnIsNotLeftOpen) {
  for (const Keep keep : {Keep::never, Keep::always})
    run_job(2, GetParam(), [&](Job& job) {
      const auto fabric = job.open({.keep = keep});
      ASSERT_TRUE(fabric);
      End end{job, *fabric, ways[3]};
      end.start(1, true);
      if (job.me == 0) {
        const Outgoing out(*fabric, {&rows, count, end.memory.data()}, end.way.plan);
        job.bring(*fabric, 1, out.announcement());
      } else {
        EXPECT_FALSE(end.kept.empty());
        Incoming in(*fabric, job.take(*fabric, 0), {&rows, count, end.memory.data()}, {.in_place = true, .kept = &end.kept});
        EXPECT_TRUE(in.withdraw());
        EXPECT_TRUE(end.kept.empty());
        EXPECT_EQ(drive(in), State::failed);
      }
      job.barrier(*fabric);
      end.start(2, true);
      fabric->registrations().drop(end.kept);
    });
}

INSTANTIATE_TEST_SUITE_P(Over, Persistent, ::testing::ValuesIn(providers()),
                         [](const auto& tested) { return short_name(tested.param); });

}  // namespace
}  // namespace heddle::transport::fabric::testing::persistent_test
