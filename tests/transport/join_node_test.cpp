// Processes of a node join. All see the memory of all, and nothing stays behind, however a process
// ends.
#include "transport/join_node.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>

#include "processes.hpp"
#include "transport/cma/cma.hpp"

namespace heddle::transport::testing {
namespace {

std::byte mark(int from, int at) { return static_cast<std::byte>(17 * from + at + 1); }

class Join : public ::testing::TestWithParam<int> {};

TEST_P(Join, AllSeeTheMemoryOfAll) {
  run_processes(GetParam(), [](Process& p) {
    const int before = open_descriptors();
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_EQ(node.why(), "");
    EXPECT_EQ(node.me(), p.me);
    EXPECT_EQ(node.size(), p.size);
    EXPECT_EQ(node.memory_size(), Bytes{256} << 20);

    // A byte of each process at the beginning, in the middle and at the end of each memory.
    const Bytes places[] = {p.me, node.memory_size() / 2 + p.me, node.memory_size() - p.size + p.me};
    for (int peer = 0; peer < p.size; ++peer) {
      ASSERT_NE(node.memory(peer), nullptr) << peer;
      for (const Bytes place : places) {
        EXPECT_EQ(node.memory(peer)[place], std::byte{0});
        node.memory(peer)[place] = mark(p.me, peer);
      }
    }
    p.barrier();
    for (int from = 0; from < p.size; ++from) {
      EXPECT_EQ(node.memory(p.me)[from], mark(from, p.me));
      EXPECT_EQ(node.memory(p.me)[node.memory_size() / 2 + from], mark(from, p.me));
      EXPECT_EQ(node.memory(p.me)[node.memory_size() - p.size + from], mark(from, p.me));
    }
    for (int peer = 0; peer < p.size; ++peer) {
      EXPECT_EQ(static_cast<bool>(node.transports().copier(peer)), peer != p.me);
      EXPECT_EQ((node.transports().copied_by(peer) != nullptr), peer != p.me);
    }
    EXPECT_EQ(node.pid(p.me), getpid());
    EXPECT_LE(open_descriptors(), before + p.size);  // each file stays open, to map more of it on demand
    EXPECT_EQ(open_sockets(), 1);                    // the hub's
    p.barrier();
  });
}

INSTANTIATE_TEST_SUITE_P(Processes, Join, ::testing::Values(1, 2, 5, 16));

TEST(JoinedNode, WhatIsNotOpenTakesNoPagesThoughAllMemoryIsLocked) {
  run_processes(2, [](Process& p) {
    for (const bool before : {true, false}) {
      const bool future = before && mlockall(MCL_FUTURE) == 0;
      JoinedNode node(p.me, p.size, p.gather, {.prefault = 4096, .opened = 4096, .shared = Bytes{64} << 20});
      EXPECT_EQ(node.why(), "");
      const auto pages = [&] {
        struct stat facts {};
        EXPECT_EQ(fstat(node.file(p.me).descriptor, &facts), 0);
        return Bytes{512} * facts.st_blocks;
      };
      const bool locked = before ? future : mlockall(MCL_CURRENT) == 0;
      p.barrier();
      EXPECT_LT(pages(), Bytes{4} << 20) << (locked ? "locked" : "not locked: RLIMIT_MEMLOCK");  // the table of regions
      for (int peer = 0; peer < p.size; ++peer) {
        std::byte* const memory = node.memory(peer);
        memory[4095] = std::byte{1};
        EXPECT_TRUE(node.open(peer, 4096));
        EXPECT_TRUE(node.open(peer, Bytes{3} << 20));
        EXPECT_TRUE(node.open(peer, Bytes{3} << 20));
        memory[(Bytes{3} << 20) - 1] = std::byte{1};
        EXPECT_TRUE(node.open(peer, node.memory_size()));
        memory[node.memory_size() - 1] = std::byte{1};
        EXPECT_FALSE(node.open(peer, node.memory_size() + 1));
      }
      p.barrier();
      EXPECT_LT(pages(), Bytes{8} << 20);
      munlockall();
      p.barrier();
    }
  });
}

TEST(JoinedNode, AllShareOneNonce) {
  run_processes(4, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather);
    std::vector<Secret> all(4);
    ASSERT_TRUE(p.gather(&node.nonce(), sizeof(Secret), all.data()));
    EXPECT_EQ(std::ranges::count(all, node.nonce()), 4);
    EXPECT_NE(node.nonce(), Secret{});
  });
}

TEST(JoinedNode, OneProcessOpensNoSocketAndAsksNobody) {
  run_processes(1, [](Process& p) {
    bool asked = false;
    const int sockets = open_sockets();
    const JoinedNode node(p.me, p.size, [&](const void*, std::size_t, void*) { return !(asked = true); });
    EXPECT_FALSE(asked);
    EXPECT_EQ(open_sockets(), sockets);
    EXPECT_EQ(node.why(), "");
    ASSERT_NE(node.memory(0), nullptr);
    node.memory(0)[node.memory_size() - 1] = std::byte{1};
  });
}

TEST(JoinedNode, SizesThatDifferAgreeOnTheLeast) {
  run_processes(3, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, {.memory = Bytes{64 << 20} >> p.me});
    EXPECT_EQ(node.memory_size(), 16 << 20);
    for (int peer = 0; peer < p.size; ++peer) node.memory(peer)[(16 << 20) - 1 - p.me] = std::byte{1};
    p.barrier();
  });
}

TEST(JoinedNode, NothingAllowedIsNothingDone) {
  run_processes(2, [](Process& p) {
    const int before = open_descriptors();
    const JoinedNode node(p.me, p.size, p.gather, {.allowed = TransportSet::none()});
    EXPECT_EQ(node.why(), "");
    for (int peer = 0; peer < 2; ++peer) EXPECT_EQ(node.memory(peer), nullptr);
    EXPECT_FALSE(static_cast<bool>(node.transports().copier(1 - p.me)));
    EXPECT_EQ(open_descriptors(), before);
  });
}

TEST(JoinedNode, OneThatAllowsLessLimitsOnlyItsOwnPairs) {
  run_processes(3, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, {.allowed = p.me == 1 ? TransportSet().without("cma") : TransportSet()});
    EXPECT_EQ(node.why(), "");
    EXPECT_EQ(static_cast<bool>(node.transports().copier((p.me + 1) % 3)), p.me == 2);
    for (int peer = 0; peer < 3; ++peer) EXPECT_NE(node.memory(peer), nullptr);
    p.barrier();
  });
}

TEST(JoinedNode, MemoryOutlivesItsOwnerAndAKilledProcessLeavesNothing) {
  const std::vector<std::string> before = named_segments();
  const std::vector<int> statuses = run_processes(
      3,
      [](Process& p) {
        const int descriptors = open_descriptors();
        {
          const JoinedNode node(p.me, p.size, p.gather);
          node.memory(p.me)[0] = mark(p.me, 0);
          p.barrier();
          if (p.me == 1) raise(SIGKILL);
          p.barrier();  // false by now: process 1 is gone
          EXPECT_EQ(node.memory(1)[0], mark(1, 0));
          node.memory(1)[1] = std::byte{1};
        }
        EXPECT_EQ(open_descriptors(), descriptors);
      },
      1);
  EXPECT_TRUE(WIFSIGNALED(statuses[1]));
  EXPECT_EQ(segments_left_since(before), std::vector<std::string>());
}

TEST(JoinedNode, AProcessKilledDuringTheJoinStopsNobody) {
  run_processes(
      3,
      [](Process& p) {
        const Gather gather = [&](const void* mine, std::size_t bytes, void* all) {
          const bool done = p.gather(mine, bytes, all);
          if (p.me == 2) raise(SIGKILL);
          return done;
        };
        const JoinedNode node(p.me, p.size, gather, {.timeout_ms = 200});
        EXPECT_EQ(node.memory(1 - p.me), nullptr);
        EXPECT_FALSE(static_cast<bool>(node.transports().copier(1 - p.me)));
        EXPECT_EQ(node.memory_size(), 0);
        EXPECT_NE(node.why().find("cannot exchange addresses"), std::string::npos) << node.why();
      },
      2);
}

}  // namespace
}  // namespace heddle::transport::testing
