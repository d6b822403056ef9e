// Memory handed out to the program. Peers map it on demand, all see a release, and nothing grows.
#include "transport/mapped/shared_memory.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <limits>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "processes.hpp"
#include "transport/mapped/peer_memory.hpp"

namespace heddle::transport::testing {
namespace {

std::byte pattern(int owner, std::size_t at) { return static_cast<std::byte>(31 * owner + 7 * at + 1); }

struct Sent {
  Place place;
  Bytes bytes = 0;
};

/// Each rank's message, for all ranks.
std::vector<Sent> exchange(const Process& p, const Sent& mine) {
  std::vector<Sent> all(static_cast<std::size_t>(p.size));
  EXPECT_TRUE(p.gather(&mine, sizeof mine, all.data()));
  return all;
}

/// Waits for a child. Its exit code is the number of wrong bytes that it found.
int wrong_in(pid_t child) {
  int status = 0;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/// The bytes that this process's node file takes in memory.
Bytes pages_of(const JoinedNode& node) {
  struct stat facts {};
  EXPECT_EQ(fstat(node.file(node.me()).descriptor, &facts), 0);
  return Bytes{512} * facts.st_blocks;
}

/// The bytes backed by huge pages in the file mapping around an address.
Bytes huge_around(const void* address) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  std::ifstream maps("/proc/self/smaps");
  bool here = false;
  for (std::string line; std::getline(maps, line);) {
    unsigned long begin = 0, end = 0, kib = 0;
    if (std::sscanf(line.c_str(), "%lx-%lx ", &begin, &end) == 2) here = begin <= at && at < end;
    if (here && std::sscanf(line.c_str(), "ShmemPmdMapped: %lu kB", &kib) == 1) return static_cast<Bytes>(kib) << 10;
  }
  return 0;
}

/// Kernels before 6.1 give none.
bool kernel_gives_huge_pages() {
  Descriptor file;
  Mapping mapping;
  EXPECT_EQ(create_memory(huge_page, file), 0);
  EXPECT_EQ(mapping.map(file.get(), 0, huge_page, Mapping::Access::write), 0);
  make_huge(mapping.base(), huge_page);
  return huge_around(mapping.base()) == huge_page;
}

TEST(SharedMemory, AForkedChildHasItForItselfAsItWas) {
  run_processes(1, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather);
    SharedMemory shared(node);
    constexpr Bytes sizes[] = {Bytes{20} << 10, Bytes{5} << 20, Bytes{1} << 20};
    std::byte* places[3];
    for (int i = 0; i < 3; ++i) {
      places[i] = static_cast<std::byte*>(shared.allocate(sizes[i]));
      ASSERT_NE(places[i], nullptr);
      // most of the last place stays untouched
      std::fill_n(places[i], i == 2 ? page_size() : sizes[i], std::byte{7});
    }
    const auto differ = [&](std::byte expected) {
      Bytes wrong = 0;
      for (int i = 0; i < 3; ++i)
        wrong +=
            (i == 2 ? page_size() : sizes[i]) - std::count(places[i], places[i] + (i == 2 ? page_size() : sizes[i]), expected);
      return wrong;
    };
    for (int round = 0; round < 3; ++round) {
      int written[2];
      ASSERT_EQ(pipe(written), 0);
      const pid_t child = fork();
      if (child == 0) {
        char byte = 0;
        bool right = read(written[0], &byte, 1) == 1 && differ(std::byte{7}) == 0;
        for (int i = 0; i < 3; ++i) std::fill_n(places[i], sizes[i], std::byte{9});
        const pid_t grandchild = fork();
        if (grandchild == 0) _exit(differ(std::byte{9}) == 0 ? 0 : 1);
        int status = 1;
        right = right && waitpid(grandchild, &status, 0) == grandchild && status == 0;
        right = right && shared.release(places[0]) && !shared.allocate(sizes[0]) && !shared.find(places[1], 1);
        _exit(right ? 0 : 1);
      }
      for (int i = 0; i < 3; ++i) std::fill_n(places[i], sizes[i], std::byte{8});
      ASSERT_EQ(write(written[1], "", 1), 1);
      EXPECT_EQ(wrong_in(child), 0);
      EXPECT_EQ(differ(std::byte{8}), 0);
      EXPECT_EQ(shared.live(), 3u);
      for (int i = 0; i < 3; ++i) std::fill_n(places[i], i == 2 ? page_size() : sizes[i], std::byte{7});
      close(written[0]);
      close(written[1]);
    }
  });
}

TEST(SharedMemory, PeersReadWhatWasHandedOut) {
  for (const Bytes bytes : {Bytes{1}, Bytes{4096}, Bytes{100'001}, Bytes{5} << 20}) {
    run_processes(3, [&](Process& p) {
      const JoinedNode node(p.me, p.size, p.gather);
      SharedMemory shared(node);
      PeerMemory theirs(node);
      auto* const mine = static_cast<std::byte*>(shared.allocate(bytes));
      ASSERT_NE(mine, nullptr);
      EXPECT_EQ(
          reinterpret_cast<std::uintptr_t>(mine) % static_cast<std::uintptr_t>(bytes >= huge_page ? huge_page : page_size()),
          0u);
      for (std::size_t i = 0; i < static_cast<std::size_t>(bytes); ++i) mine[i] = pattern(p.me, i);
      const std::optional<Place> place = shared.find(mine + bytes / 2, bytes - bytes / 2);
      ASSERT_TRUE(place);
      EXPECT_EQ(place->offset, bytes / 2);
      const std::vector<Sent> all = exchange(p, {*place, bytes - bytes / 2});
      for (int peer = 0; peer < p.size; ++peer) {
        const Sent& sent = all[static_cast<std::size_t>(peer)];
        const std::byte* const there = theirs.map(peer, sent.place, sent.bytes);
        ASSERT_NE(there, nullptr) << peer;
        for (std::size_t i = 0; i < static_cast<std::size_t>(sent.bytes); ++i)
          ASSERT_EQ(there[i], pattern(peer, i + static_cast<std::size_t>(bytes / 2)));
        EXPECT_EQ(theirs.map(peer, sent.place, sent.bytes), there);  // the mapping is kept
      }
      EXPECT_LE(theirs.mapped(), 3 * round_up(bytes, huge_page));  // the sent places, in chunks
      p.barrier();
    });
  }
}

TEST(SharedMemory, FindsExactlyWhatItHandedOut) {
  run_processes(1, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather);
    SharedMemory shared(node);
    int elsewhere = 0;
    EXPECT_FALSE(shared.find(&elsewhere, 4));
    EXPECT_FALSE(shared.find(nullptr, 0));
    EXPECT_FALSE(shared.release(&elsewhere));
    EXPECT_FALSE(shared.release(nullptr));

    auto* const a = static_cast<std::byte*>(shared.allocate(3 * page_size()));
    auto* const b = static_cast<std::byte*>(shared.allocate(page_size()));
    ASSERT_TRUE(a && b);
    EXPECT_TRUE(shared.find(a, 3 * page_size()));
    EXPECT_TRUE(shared.find(a + 3 * page_size() - 1, 1));
    EXPECT_FALSE(shared.find(a, 3 * page_size() + 1));  // reaches into the next region, or none
    EXPECT_FALSE(shared.find(a - 1, 1));
    EXPECT_FALSE(shared.find(a + 1, -1));
    EXPECT_FALSE(shared.find(a + 1, std::numeric_limits<Bytes>::max()));
    EXPECT_NE(shared.find(a, 1)->version, shared.find(b, 1)->version);
    EXPECT_FALSE(shared.find(&elsewhere, 4));
    EXPECT_FALSE(shared.find(nullptr, 0));

    EXPECT_FALSE(shared.release(a + page_size()));  // not the beginning of a region
    EXPECT_TRUE(shared.release(a));
    EXPECT_FALSE(shared.release(a));
    EXPECT_FALSE(shared.find(a, 1));
    EXPECT_TRUE(shared.find(b, 1));
    auto* const again = static_cast<std::byte*>(shared.allocate(page_size()));
    EXPECT_EQ(again, a);  // first fit
    EXPECT_TRUE(shared.release(b));
    EXPECT_TRUE(shared.release(again));
    EXPECT_EQ(shared.live(), 0u);
  });
}

TEST(SharedMemory, WhatIsReleasedIsNotMappedAndANewVersionReplacesIt) {
  run_processes(2, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather);
    SharedMemory shared(node);
    PeerMemory theirs(node);
    const auto hand_out = [&](Bytes bytes, int fill) {
      Sent sent{{}, bytes};
      if (p.me == 0) {
        void* const memory = shared.allocate(bytes);
        std::memset(memory, fill, static_cast<std::size_t>(bytes));
        sent.place = *shared.find(memory, bytes);
        EXPECT_TRUE(shared.find(memory, bytes));
        exchange(p, sent);
        p.barrier();  // all have read
        EXPECT_TRUE(shared.release(memory));
        p.barrier();
        p.barrier();
        return sent;
      }
      const Sent got = exchange(p, sent)[0];
      const std::byte* const there = theirs.map(0, got.place, got.bytes);
      EXPECT_TRUE(there && there[0] == static_cast<std::byte>(fill) && there[bytes - 1] == static_cast<std::byte>(fill));
      p.barrier();
      p.barrier();  // released
      EXPECT_EQ(theirs.map(0, got.place, got.bytes), nullptr);
      p.barrier();
      return got;
    };
    const Sent first = hand_out(10'000, 1);
    const Sent second = hand_out(5'000'000, 2);
    const Sent third = hand_out(10'000, 3);
    EXPECT_EQ(first.place.id, third.place.id);
    EXPECT_NE(first.place.version, second.place.version);
    EXPECT_NE(first.place.version, third.place.version);
    EXPECT_LE(theirs.mapped(), p.me == 0 ? 0 : 3 * huge_page);  // one place for all three
  });
}

TEST(SharedMemory, PlacesThatAreWrongAreRefused) {
  run_processes(2, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather);
    SharedMemory shared(node);
    PeerMemory theirs(node);
    void* const mine = shared.allocate(3 * page_size());
    const Place good = exchange(p, {*shared.find(mine, 1), 1})[static_cast<std::size_t>(1 - p.me)].place;
    const int peer = 1 - p.me;
    EXPECT_NE(theirs.map(peer, good, 3 * page_size()), nullptr);
    EXPECT_EQ(theirs.map(peer, good, 3 * page_size() + 1), nullptr);
    EXPECT_EQ(theirs.map(peer, good, -1), nullptr);
    EXPECT_EQ(theirs.map(peer, good, std::numeric_limits<Bytes>::max()), nullptr);
    EXPECT_EQ(theirs.map(-1, good, 1), nullptr);
    EXPECT_EQ(theirs.map(2, good, 1), nullptr);
    for (const Bytes offset : {Bytes{-1}, 3 * page_size() + 1, std::numeric_limits<Bytes>::max()}) {
      Place place = good;
      place.offset = offset;
      EXPECT_EQ(theirs.map(peer, place, 0), nullptr) << offset;
    }
    for (const std::uint32_t id : {good.id + 1, slots - 1, slots, ~0u}) {
      Place place = good;
      place.id = id;
      EXPECT_EQ(theirs.map(peer, place, 1), nullptr) << id;
    }
    p.barrier();
    // A table gone wild must not lead beyond the file: touching that would be SIGBUS.
    Slot& slot = slots_of(node.file(p.me))[5];
    for (const auto& [offset, bytes] : std::initializer_list<std::pair<Bytes, Bytes>>{
             {-4096, 4096},
             {node.file(p.me).shared, 4096},
             {0, std::numeric_limits<Bytes>::max()},
             {4096, -4096},
             {1, 4096},
         }) {
      slot.publish(77, offset, bytes);
      p.barrier();
      EXPECT_EQ(theirs.map(peer, {.version = 77, .id = 5}, 0), nullptr);
      p.barrier();
    }
  });
}

TEST(SharedMemory, TenThousandAllocationsAndReleasesLeaveNothing) {
  run_processes(2, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather);
    SharedMemory shared(node);
    PeerMemory theirs(node);
    int descriptors = 0;
    int maps = 0;
    for (int i = 0; i < 10'000; ++i) {
      const Bytes bytes = i % 100 == 0 ? huge_page + i : Bytes{1 + i % 9} * 5000;
      void* const memory = shared.allocate(bytes);
      ASSERT_NE(memory, nullptr) << i;
      static_cast<std::byte*>(memory)[bytes - 1] = std::byte{1};
      if (i % 50 == 0) {
        const std::vector<Sent> all = exchange(p, {*shared.find(memory, bytes), bytes});
        const std::byte* const there = theirs.map(1 - p.me, all[static_cast<std::size_t>(1 - p.me)].place, bytes);
        ASSERT_NE(there, nullptr) << i;
        EXPECT_EQ(there[bytes - 1], std::byte{1});
        p.barrier();
      }
      ASSERT_TRUE(shared.release(memory));
      if (i == 1000) descriptors = open_descriptors(), maps = mappings();
    }
    EXPECT_EQ(open_descriptors(), descriptors);
    EXPECT_LE(mappings(), maps + 4);
    EXPECT_LE(theirs.mapped(), 2 * huge_page);
    EXPECT_EQ(shared.live(), 0u);
    p.barrier();
  });
}

TEST(SharedMemory, ManyAtOnceInAnyOrder) {
  run_processes(1, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather);
    SharedMemory shared(node);
    std::mt19937 random(11);
    std::vector<std::pair<std::byte*, Bytes>> live;
    for (int step = 0; step < 6000; ++step) {
      if (live.size() < 1000 && random() % 3 != 0) {
        const Bytes bytes = 1 + static_cast<Bytes>(random() % 50'000);
        auto* const memory = static_cast<std::byte*>(shared.allocate(bytes));
        ASSERT_NE(memory, nullptr);
        memory[0] = memory[bytes - 1] = static_cast<std::byte>(bytes);
        live.emplace_back(memory, bytes);
      } else if (!live.empty()) {
        const std::size_t at = random() % live.size();
        const auto [memory, bytes] = live[at];
        EXPECT_EQ(memory[0], static_cast<std::byte>(bytes));  // handed out only once
        EXPECT_EQ(memory[bytes - 1], static_cast<std::byte>(bytes));
        ASSERT_TRUE(shared.release(memory));
        live[at] = live.back();
        live.pop_back();
      }
    }
    EXPECT_EQ(shared.live(), live.size());
  });
}

TEST(SharedMemory, WhatCannotBeIsNull) {
  run_processes(1, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, {.shared = Bytes{64} << 20});
    SharedMemory shared(node);
    EXPECT_EQ(shared.allocate(0), nullptr);
    EXPECT_EQ(shared.allocate(-5), nullptr);
    EXPECT_EQ(shared.allocate((Bytes{64} << 20) + 1), nullptr);
    EXPECT_EQ(shared.allocate(std::numeric_limits<Bytes>::max()), nullptr);
    void* const all = shared.allocate(Bytes{64} << 20);
    EXPECT_NE(all, nullptr);
    EXPECT_EQ(shared.allocate(1), nullptr);
    EXPECT_TRUE(shared.release(all));
    EXPECT_NE(shared.allocate(1), nullptr);
  });
  run_processes(1, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, {.allowed = TransportSet().without("mapped")});
    SharedMemory shared(node);
    EXPECT_NE(node.memory(0), nullptr);
    EXPECT_EQ(shared.allocate(100), nullptr);
    EXPECT_FALSE(shared.release(&shared));
  });
}

TEST(SharedMemory, WhatIsAllocatedZeroedIsZeroThoughAnotherHadItsPages) {
  for (const Commit commit : {Commit::with_use, Commit::at_once})
    for (const bool refused : {false, true})
      run_processes(1, [commit, refused](Process& p) {
        const JoinedNode node(p.me, p.size, p.gather);
        SharedMemory shared(node, commit);
        void* const neighbour = shared.allocate(5000);  // in the same chunk
        std::memset(neighbour, 7, 5000);
        std::vector<void*> before;
        for (const Bytes bytes : {Bytes{100'001}, Bytes{5} << 20}) {
          before.push_back(shared.allocate(bytes));
          std::memset(before.back(), 9, static_cast<std::size_t>(bytes));
        }
        for (void* each : before) EXPECT_TRUE(shared.release(each));
        if (refused && commit == Commit::with_use) refuse_system_call(SYS_fallocate, EOPNOTSUPP);
        for (const Bytes bytes : {Bytes{100'001}, Bytes{5} << 20}) {
          auto* const memory = static_cast<std::byte*>(shared.allocate_zeroed(bytes));
          ASSERT_NE(memory, nullptr);
          EXPECT_EQ(std::count(memory, memory + bytes, std::byte{0}), bytes);
        }
        const auto* const other = static_cast<const std::byte*>(neighbour);
        EXPECT_EQ(std::count(other, other + 5000, std::byte{7}), 5000);
      });
}

TEST(SharedMemory, PagesComeWithUseAndHugeOnesWithMessages) {
  run_processes(1, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, {.shared = Bytes{1} << 30});
    SharedMemory shared(node, Commit::with_use);
    const Bytes before = pages_of(node);
    constexpr Bytes bytes = 100'000'000;
    auto* const large = static_cast<std::byte*>(shared.allocate(bytes));
    ASSERT_NE(large, nullptr);
    EXPECT_LE(pages_of(node), before + page_size());  // the table of regions

    constexpr Bytes sent = 3 * huge_page;  // a chunk that is sent from, among chunks that are not
    for (Bytes i = 0; i < bytes; i += 1000) large[i] = pattern(0, static_cast<std::size_t>(i));
    EXPECT_EQ(huge_around(large), 0);
    for (Bytes i = 0; i < 2 * SharedMemory::huge_after; ++i) ASSERT_TRUE(shared.find(large + sent, huge_page));
    for (Bytes i = 0; i < bytes; i += 1000) ASSERT_EQ(large[i], pattern(0, static_cast<std::size_t>(i)));
    EXPECT_EQ(huge_around(large), kernel_gives_huge_pages() ? huge_page : 0);
    EXPECT_TRUE(shared.release(large));
  });
}

TEST(SharedMemory, PagesStaySmallWhereRanksShareCores) {
  run_processes(1, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, {.shared = Bytes{1} << 30});
    SharedMemory shared(node, Commit::with_use, HugePages::never);
    auto* const large = static_cast<std::byte*>(shared.allocate(2 * huge_page));
    ASSERT_NE(large, nullptr);
    std::fill_n(large, 2 * huge_page, std::byte{7});
    for (Bytes i = 0; i < 2 * SharedMemory::huge_after; ++i) ASSERT_TRUE(shared.find(large, huge_page));
    EXPECT_EQ(huge_around(large), 0);
    EXPECT_TRUE(shared.release(large));
  });
}

TEST(SharedMemory, PagesCanBeTakenAtOnce) {
  run_processes(1, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, {.shared = Bytes{1} << 30});
    SharedMemory shared(node, Commit::at_once);
    const auto blocks = [&] { return pages_of(node); };
    const Bytes before = blocks();
    void* const small = shared.allocate(1'000'000);
    void* const large = shared.allocate(100'000'000);
    EXPECT_TRUE(small && large);
    EXPECT_GE(blocks() - before, 101'000'000);
    EXPECT_TRUE(shared.release(small) && shared.release(large));
    EXPECT_LE(blocks(), before + SharedMemory::idle_most + page_size());  // and the table of regions

    refuse_system_call(SYS_fallocate, ENOSPC);
    EXPECT_EQ(shared.allocate(100'000'000), nullptr);
    EXPECT_EQ(shared.live(), 0u);
    EXPECT_NE(shared.allocate(1'000'000), nullptr);  // from idle memory
  });
}

TEST(SharedMemory, LessAddressSpaceIsLessToHandOut) {
  if (sanitized) GTEST_SKIP() << "sanitizers need all address space";
  run_processes(1, [](Process& p) {
    const rlimit limit{Bytes{1} << 30, Bytes{1} << 30};
    ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    const JoinedNode node(p.me, p.size, p.gather, {.shared = Bytes{1} << 40});
    EXPECT_EQ(node.why(), "");
    SharedMemory shared(node);
    EXPECT_NE(shared.allocate(Bytes{16} << 20), nullptr);
    EXPECT_EQ(shared.allocate(Bytes{1} << 30), nullptr);
  });
}

TEST(SharedMemory, OutlivesItsOwnerForWhoeverMapsIt) {
  run_processes(
      2,
      [](Process& p) {
        const JoinedNode node(p.me, p.size, p.gather);
        SharedMemory shared(node);
        PeerMemory theirs(node);
        Sent sent{{}, 10'000};
        if (p.me == 1) {
          void* const memory = shared.allocate(sent.bytes);
          std::memset(memory, 9, 10'000);
          sent.place = *shared.find(memory, sent.bytes);
        }
        const Sent got = exchange(p, sent)[1];
        if (p.me == 1) raise(SIGKILL);
        p.barrier();
        const std::byte* const there = theirs.map(1, got.place, got.bytes);
        ASSERT_NE(there, nullptr);
        EXPECT_EQ(there[9999], std::byte{9});
      },
      1);
}

TEST(SharedMemory, ThreadsAllocateFindAndReleaseTogether) {
  run_processes(1, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather);
    SharedMemory shared(node);
    PeerMemory theirs(node);
    std::atomic<int> wrong{0};
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (int i = 0; i < 1000; ++i) {
          const Bytes bytes = 1 + (i * 37 + t) % 20'000;
          auto* const memory = static_cast<std::byte*>(shared.allocate(bytes));
          if (!memory) {
            ++wrong;
            continue;
          }
          memory[bytes - 1] = static_cast<std::byte>(t);
          const std::optional<Place> place = shared.find(memory, bytes);
          const std::byte* const seen = place ? theirs.map(0, *place, bytes) : nullptr;
          if (!seen || seen[bytes - 1] != static_cast<std::byte>(t) || !shared.release(memory)) ++wrong;
        }
      });
    }
    threads.clear();
    EXPECT_EQ(wrong.load(), 0);
    EXPECT_EQ(shared.live(), 0u);
  });
}

}  // namespace
}  // namespace heddle::transport::testing
