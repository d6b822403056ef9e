// Every failure is a value on both sides. There is no hang and no wrong byte, and nothing is kept.
#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <random>

#include "faults.hpp"
#include "job.hpp"
#include "layout/pack.hpp"

namespace heddle::transport::fabric::testing::failures_test {
namespace {

const layout::Layout rows = layout::vector(301, 37, 91, layout::basic(3));
constexpr Count count = 9;
const std::int64_t short_patience = 300'000'000 * transport::testing::slowness();

std::vector<std::byte> memory(int seed, Count elements = count) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(rows.extent() * elements + rows.true_extent()));
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 13 + static_cast<std::size_t>(seed));
  return bytes;
}

/// One message from 0 to 1. Returns its end on this side. If it is done, the bytes are right.
State message(Job& job, Fabric& fabric, const Way& way, Failure* failure = nullptr, Acceptance acceptance = {}) {
  std::vector<std::byte> mine = memory(job.me);
  acceptance.in_place = way.in_place;
  if (job.me == 0) {
    Outgoing out(fabric, {&rows, count, mine.data()}, way.plan);
    if (out.state() == State::failed)
      job.bring(fabric, 1, {});
    else
      job.bring(fabric, 1, out.announcement());
    const State state = drive(out);
    if (failure) *failure = out.failure();
    return state;
  }
  Incoming in(fabric, job.take(fabric, 0), {&rows, count, mine.data()}, acceptance);
  const State state = drive(in);
  if (failure) *failure = in.failure();
  if (state == State::done) {
    std::vector<std::byte> wanted = memory(1);
    const std::vector<std::byte> source = memory(0);
    std::vector<std::byte> stream(static_cast<std::size_t>(rows.size() * count));
    layout::pack(rows, count, source.data(), stream.data());
    layout::unpack(rows, count, wanted.data(), stream.data());
    EXPECT_TRUE(mine == wanted) << way.name;
  }
  return state;
}

class Failures : public ::testing::TestWithParam<std::string> {
 protected:
  void SetUp() override {
    if (!there_is(GetParam())) GTEST_SKIP() << "no " << GetParam();
  }
};

TEST_P(Failures, AKilledPeerIsAnErrorOfTheOther) {
  constexpr Count many = 400;  // so many that the message is not over by then
  void* const page = mmap(nullptr, sizeof(std::atomic<bool>), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  auto& given_up = *new (page) std::atomic<bool>;
  const auto attempt = [&](int killed, const Way& way, std::int64_t patience) {
    given_up = false;
    run_job(
        2, GetParam(),
        [&](Job& job) {
          const auto fabric = job.open({.patience = patience});
          ASSERT_TRUE(fabric);
          std::vector<std::byte> mine = memory(job.me, many);
          Plan plan = way.plan;
          plan.segment = 1000;
          const auto end = [&](Message& one) {
            if (job.me == killed) {
              for (int i = 0; i < 40 && one.progress() == State::working; ++i) {
              }
              raise(SIGKILL);
            }
            EXPECT_EQ(drive(one), State::failed) << way.name;
            EXPECT_NE(one.failure(), Failure::none);
          };
          if (job.me == 0) {
            Outgoing out(*fabric, {&rows, many, mine.data()}, plan);
            job.bring(*fabric, 1, out.announcement());
            // A sender without an answer knows no peer that could die. The caller must end the
            // message.
            while (job.me != killed && !out.answered() && !given_up) {
              out.progress();
              sched_yield();
            }
            if (given_up) return out.abandon();
            job.board->answered = true;
            end(out);
          } else {
            const Announcement there = job.take(*fabric, 0);
            if (job.me == killed) job.greet(*fabric, there);  // a sender that dies at once could not answer a hello
            Incoming in(*fabric, there, {&rows, many, mine.data()}, {.in_place = way.in_place, .window = 2});
            while (job.me == killed && !job.board->answered && in.state() == State::working) {
              fabric->progress();
              sched_yield();
            }
            given_up = in.state() != State::working && !job.board->answered;
            if (given_up) return;
            end(in);
          }
        },
        killed);
    return !given_up;
  };
  // A process that gets no core for long looks dead. Then the others wait longer for it.
  for (const int killed : {0, 1})
    for (const Way& way : ways) {
      std::int64_t patience = short_patience;
      while (!attempt(killed, way, patience) && patience < 100 * short_patience) patience *= 4;
      EXPECT_FALSE(given_up) << way.name;
    }
  munmap(page, sizeof(std::atomic<bool>));
}

TEST_P(Failures, TooShortABufferIsRefusedOnBothSides) {
  run_job(2, GetParam(), [&](Job& job) {
    const auto fabric = job.open();
    ASSERT_TRUE(fabric);
    std::vector<std::byte> mine = memory(0);
    if (job.me == 0) {
      Outgoing out(*fabric, {&rows, count, mine.data()}, {});
      job.bring(*fabric, 1, out.announcement());
      EXPECT_EQ(drive(out), State::failed);
      EXPECT_EQ(out.failure(), Failure::truncated);
    } else {
      Incoming in(*fabric, job.take(*fabric, 0), {&rows, count - 1, mine.data()}, {});
      EXPECT_EQ(drive(in), State::failed);
      EXPECT_EQ(in.failure(), Failure::truncated);
      EXPECT_TRUE(mine == memory(0));
    }
    job.barrier(*fabric);
    EXPECT_EQ(message(job, *fabric, ways[0]), State::done);  // the next message works
    job.barrier(*fabric);
    EXPECT_EQ(fabric->segments().out(), 0u);
  });
}

TEST_P(Failures, AHelloIsAnsweredByWhoIsThere) {
  run_job(2, GetParam(), [&](Job& job) {
    const auto fabric = job.open();
    ASSERT_TRUE(fabric);
    std::vector<std::byte> mine = memory(0);
    if (job.me == 0) {
      const Outgoing out(*fabric, {&rows, count, mine.data()}, {});  // its announcement describes this process
      job.bring(*fabric, 1, out.announcement());
    } else {
      const Announcement there = job.take(*fabric, 0);
      std::uint32_t peer = 0;
      std::uint32_t nobody = 0;
      ASSERT_TRUE(fabric->greet({there.who, there.address_bytes, there.address}, peer));
      // Another process may have that address by now. It is not the wanted process.
      ASSERT_TRUE(fabric->greet({{there.who.node, -1}, there.address_bytes, there.address}, nobody));
      while (!fabric->welcomed(peer)) fabric->progress();
      EXPECT_FALSE(fabric->welcomed(nobody));
      EXPECT_FALSE(fabric->greet({there.who, most_address + 1, there.address}, nobody));
    }
    job.barrier(*fabric);
  });
}

TEST_P(Failures, WhatIsWithdrawnLeavesTheElementsAlone) {
  for (const Way& way : ways)
    run_job(2, GetParam(), [&](Job& job) {
      const auto fabric = job.open();
      ASSERT_TRUE(fabric);
      std::vector<std::byte> mine = memory(job.me);
      if (job.me == 0) {
        // The sender goes on before it gets an answer, and sends another way.
        const Outgoing out(*fabric, {&rows, count, mine.data()}, way.plan);
        job.bring(*fabric, 1, out.announcement());
      } else {
        Incoming in(*fabric, job.take(*fabric, 0), {&rows, count, mine.data()}, {.in_place = way.in_place});
        EXPECT_TRUE(in.withdraw()) << way.name;
        mine = memory(2);
        EXPECT_EQ(drive(in), State::failed) << way.name;
        EXPECT_TRUE(mine == memory(2)) << way.name;
      }
      job.barrier(*fabric);
      EXPECT_EQ(message(job, *fabric, way), State::done) << way.name;
      job.barrier(*fabric);
      EXPECT_EQ(fabric->segments().out(), 0u);
    });
}

TEST_P(Failures, AnErrorInTheMiddleEndsBothSides) {
  for (const Way& way : ways)
    run_job(2, GetParam(), [&](Job& job) {
      Faults faults;
      const auto fabric = job.open({.wrap = with(faults)});
      ASSERT_TRUE(fabric);
      Failure failure = Failure::none;
      const bool reads = way.plan.if_in_place == FabricScheme::p_rrs;
      if (job.me == (reads ? 1 : 0)) faults.fail_at = 40;  // the self-test takes ten or so
      const State state = message(job, *fabric, way, &failure);
      // The side that saw the error has failed. The other side has all bytes, or has failed, too.
      if (state == State::failed) {
        EXPECT_NE(failure, Failure::none);
      }
      job.barrier(*fabric);
      EXPECT_EQ(message(job, *fabric, way), State::done) << way.name;
      job.barrier(*fabric);
      EXPECT_EQ(fabric->segments().out(), 0u);
    });
}

TEST_P(Failures, AFullQueueIsTriedAgain) {
  run_job(2, GetParam(), [&](Job& job) {
    Faults faults;
    const auto fabric = job.open({.wrap = with(faults)});
    ASSERT_TRUE(fabric);
    faults.full_every = 3;
    for (const Way& way : ways) EXPECT_EQ(message(job, *fabric, way), State::done) << way.name;
    job.barrier(*fabric);
  });
}

TEST_P(Failures, WhoMayNotRegisterPacks) {
  run_job(2, GetParam(), [&](Job& job) {
    Faults faults;
    const auto fabric = job.open({.keep = Keep::always, .wrap = with(faults)});
    ASSERT_TRUE(fabric);
    EXPECT_EQ(message(job, *fabric, ways[0]), State::done);  // now the pool is registered
    faults.refuse_from = 8192;
    for (Way way : ways) {
      way.plan.enlist = true;
      EXPECT_EQ(message(job, *fabric, way), State::done) << way.name;
    }
    job.barrier(*fabric);
    EXPECT_EQ(fabric->registrations().kept(), 0u);
  });
}

/// Elements that cannot be registered are packed.
void all_ways_with_little_room(Job& job, Fabric& fabric) {
  for (Way way : ways) {
    way.plan.enlist = true;
    way.plan.segment = 16 << 10;
    EXPECT_EQ(message(job, fabric, way), State::done) << way.name;
    job.barrier(fabric);
  }
}

TEST_P(Failures, ALimitOnPinnedMemoryIsKept) {
  run_job(2, GetParam(), [&](Job& job) {
    // There is room for control messages and a few segments, but for no element.
    const auto fabric = job.open({.segment = 16 << 10, .pinned = 320 << 10});
    ASSERT_TRUE(fabric);
    all_ways_with_little_room(job, *fabric);
  });
  run_job(1, GetParam(), [&](Job& job) {
    Failure failure = Failure::none;
    std::string why;
    EXPECT_FALSE(Fabric::open({.wanted = {.provider = job.provider}, .pinned = 4096}, failure, why));
    EXPECT_EQ(failure, Failure::registration) << why;
  });
}

/// Sets ulimit -l for this process and its children.
void may_lock(rlim_t bytes) {
  rlimit limit{};
  ASSERT_EQ(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
  limit.rlim_cur = std::min(bytes, limit.rlim_max);
  ASSERT_EQ(setrlimit(RLIMIT_MEMLOCK, &limit), 0);
}

TEST_P(Failures, WhatMayBeLockedIsTheLimitWhereTheProviderPins) {
  constexpr Bytes room = 512 << 10;
  run_job(2, GetParam(), [&](Job& job) {
    may_lock(room);
    EXPECT_EQ(lockable(), room - room / 8);
    Faults faults{.pins = true};
    // Control messages and a few segments; no element beside them.
    const auto fabric = job.open({.segment = 16 << 10, .wrap = with(faults)});
    ASSERT_TRUE(fabric);
    all_ways_with_little_room(job, *fabric);
  });
  run_job(1, GetParam(), [&](Job& job) {
    may_lock(4096);
    Faults faults{.pins = true};
    Failure failure = Failure::none;
    std::string why;
    EXPECT_FALSE(Fabric::open({.wanted = {.provider = job.provider}, .wrap = with(faults)}, failure, why));
    EXPECT_EQ(failure, Failure::registration) << why;
  });
}

TEST_P(Failures, ForgedWordsHarmNobody) {
  run_job(2, GetParam(), [&](Job& job) {
    const auto fabric = job.open();
    ASSERT_TRUE(fabric);
    std::vector<std::byte> mine = memory(job.me);
    std::mt19937_64 random(99);
    for (int round = 0; round < 40; ++round) {
      const Way& way = ways[round % 4];
      if (job.me == 0) {
        Outgoing out(*fabric, {&rows, count, mine.data()}, way.plan);
        job.bring(*fabric, 1, out.announcement());
        while (!out.answered() && out.state() == State::working) out.progress();
        // Sealed as it should be, but what no receiver says.
        Control forged{.kind = static_cast<Kind>(random() % (static_cast<unsigned>(last_kind) + 1)),
                       .failure = Failure::refused,
                       .in_place = random() % 2 == 0};
        forged.places = static_cast<std::uint8_t>(random() % (most_places + 1));
        forged.segment = static_cast<Bytes>(random() % 5);
        forged.length = static_cast<Bytes>(random() % 100000);
        forged.to = out.theirs();
        forged.from = static_cast<std::uint32_t>(random());
        for (Place& place : forged.place) place = {{random(), random() % 70000, random()}, static_cast<Bytes>(random() % 9)};
        if (out.state() == State::working) fabric->tell(out.peer(), forged);
        drive(out);
      } else {
        Incoming in(*fabric, job.take(*fabric, 0), {&rows, count, mine.data()}, {.in_place = way.in_place, .window = 2});
        drive(in);
      }
      job.barrier(*fabric);
    }
    EXPECT_EQ(message(job, *fabric, ways[0]), State::done);
    job.barrier(*fabric);
  });
}

INSTANTIATE_TEST_SUITE_P(Over, Failures, ::testing::ValuesIn(providers()),
                         [](const auto& tested) { return short_name(tested.param); });

TEST(Control, DamagedWordsAreNotRead) {
  std::mt19937_64 random(5);
  Control word{.kind = Kind::reply, .places = 3, .to = 7, .segment = 4096};
  seal(word, 11);
  Announcement announcement{.total = 100, .segment = 10};
  seal(announcement, 11);
  const auto bytes = [](const auto& one, std::size_t length) {
    const auto* const at = reinterpret_cast<const std::byte*>(&one);
    return std::vector<std::byte>(at, at + length);
  };
  Control read_word;
  Announcement read_announcement;
  EXPECT_TRUE(read(bytes(word, bytes_of(word)), 11, read_word));
  EXPECT_FALSE(read(bytes(word, bytes_of(word)), 12, read_word));
  EXPECT_TRUE(read(bytes(announcement, sizeof announcement), 11, read_announcement));
  for (int round = 0; round < 20'000; ++round) {
    std::vector<std::byte> damaged = bytes(word, bytes_of(word));
    damaged[random() % damaged.size()] ^= static_cast<std::byte>(1 + random() % 255);
    if (round % 3 == 0) damaged.resize(random() % 800);
    EXPECT_FALSE(read(damaged, 11, read_word));
    damaged = bytes(announcement, sizeof announcement);
    damaged[random() % damaged.size()] ^= static_cast<std::byte>(1 + random() % 255);
    EXPECT_FALSE(read(damaged, 11, read_announcement));
  }
}

TEST(Opening, SaysWhatIsMissing) {
  run_job(1, "tcp;ofi_rxm", [](Job&) {
    Failure failure = Failure::none;
    std::string why;
    EXPECT_FALSE(Fabric::open({.wanted = {.provider = "carrier-pigeon"}}, failure, why));
    EXPECT_EQ(failure, Failure::missing);
    EXPECT_NE(why.find("carrier-pigeon"), std::string::npos) << why;
    EXPECT_FALSE(Fabric::open({.wanted = {.library = "libnone.so.7"}}, failure, why));
    EXPECT_EQ(failure, Failure::missing);
    EXPECT_NE(why.find("libnone.so.7"), std::string::npos) << why;
  });
}

class SelfTest : public ::testing::TestWithParam<std::string> {};

TEST_P(SelfTest, TakesNothingBack) {
  if (!there_is(GetParam())) GTEST_SKIP() << "no " << GetParam();
  run_job(1, GetParam(), [](Job& job) {
    Failure failure = Failure::none;
    std::string why;
    const auto fabric = Fabric::open({.wanted = {.provider = job.provider}}, failure, why);
    ASSERT_TRUE(fabric) << why;
    EXPECT_EQ(why, "");
    const Abilities& can = fabric->abilities();
    const std::string pieces = std::to_string(can.iov) + "/" + std::to_string(can.rma_iov);
    std::printf("%s: local/remote pieces %s, writes %s\n", can.provider.c_str(), pieces.c_str(),
                can.ordered_writes ? "in order" : "in any order");
    const char* const expected = std::getenv("TEST_PIECES");
    EXPECT_EQ(pieces, expected ? expected : pieces);
  });
}

INSTANTIATE_TEST_SUITE_P(Over, SelfTest, ::testing::ValuesIn(providers()),
                         [](const auto& tested) { return short_name(tested.param); });

TEST(SelfTestOfALiar, TakesBackWhatAProviderDoesNotDo) {
  if (!there_is("shm")) GTEST_SKIP();
  run_job(1, "shm", [](Job& job) {
    Faults faults{.first_remote_only = true};
    Failure failure = Failure::none;
    std::string why;
    const auto fabric = Fabric::open({.wanted = {.provider = job.provider}, .wrap = with(faults)}, failure, why);
    ASSERT_TRUE(fabric) << why;
    EXPECT_EQ(fabric->abilities().rma_iov, 1u);
    EXPECT_GT(fabric->abilities().iov, 1u);
    EXPECT_NE(why.find("one piece at a time"), std::string::npos) << why;
    Faults lies{.other_data = true};
    EXPECT_FALSE(Fabric::open({.wanted = {.provider = job.provider}, .wrap = with(lies)}, failure, why));
    EXPECT_EQ(failure, Failure::unsound) << why;
  });
}

}  // namespace
}  // namespace heddle::transport::fabric::testing::failures_test
