// Processes open one file and see the memory of all. If one is refused, all keep the memory that
// they had.
#include "transport/common_file.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <thread>

#include "processes.hpp"
#include "transport/mapped/peer_memory.hpp"
#include "transport/mapped/shared_memory.hpp"

namespace heddle::transport::testing {
namespace {

/// A file whose offer all processes have heard.
CommonFile offered(const Process& p, const NodeOptions& options = {}) {
  CommonFile file;
  if (p.me == 0) file.make(p.size, options);
  std::vector<Offer> all(static_cast<std::size_t>(p.size));
  EXPECT_TRUE(p.gather(&file.offer(), sizeof(Offer), all.data()));
  file.hear(all[0]);
  return file;
}

bool all_of(const Process& p, bool mine) {
  const char own = mine ? 1 : 0;
  std::vector<char> all(static_cast<std::size_t>(p.size));
  EXPECT_TRUE(p.gather(&own, 1, all.data()));
  return std::ranges::find(all, 0) == all.end();
}

class Attached : public ::testing::TestWithParam<int> {};

TEST_P(Attached, SeeTheMemoryOfAll) {
  run_processes(GetParam(), [](Process& p) {
    const int before = open_descriptors();
    const int before_sockets = open_sockets();
    CommonFile file = offered(p);
    ASSERT_TRUE(file.offered());
    JoinedNode node(p.me, p.size);
    ASSERT_TRUE(all_of(p, node.attach(file)));
    node.join_attached();
    EXPECT_EQ(node.why(), "");
    EXPECT_EQ(node.memory_size(), Bytes{256} << 20);
    EXPECT_NE(node.nonce(), Secret{});

    const Bytes places[] = {0, node.memory_size() / 2, node.memory_size() - p.size};
    for (int peer = 0; peer < p.size; ++peer) {
      ASSERT_NE(node.memory(peer), nullptr) << peer;
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(node.memory(peer)) % huge_page, 0U);
      for (const Bytes place : places) {
        EXPECT_EQ(node.memory(peer)[place + p.me], std::byte{0});
        node.memory(peer)[place + p.me] = static_cast<std::byte>(1 + p.me);
      }
      EXPECT_EQ(static_cast<bool>(node.transports().copier(peer)), peer != p.me);
      EXPECT_EQ((node.transports().copied_by(peer) != nullptr), peer != p.me);
    }
    EXPECT_EQ(node.pid(p.me), getpid());
    p.barrier();
    for (const Bytes place : places)
      for (int from = 0; from < p.size; ++from) EXPECT_EQ(node.memory(p.me)[place + from], static_cast<std::byte>(1 + from));
    EXPECT_EQ(open_descriptors(), before + 1);
    EXPECT_EQ(open_sockets(), before_sockets);

    std::vector<Secret> nonces(static_cast<std::size_t>(p.size));
    ASSERT_TRUE(p.gather(&node.nonce(), sizeof(Secret), nonces.data()));
    EXPECT_EQ(std::ranges::count(nonces, node.nonce()), p.size);
  });
}

TEST_P(Attached, MapWhatOthersHandOut) {
  run_processes(GetParam(), [](Process& p) {
    CommonFile file = offered(p);
    JoinedNode node(p.me, p.size);
    ASSERT_TRUE(all_of(p, node.attach(file)));
    node.join_attached();
    SharedMemory mine(node);
    PeerMemory theirs(node);
    constexpr Bytes bytes = Bytes{5} << 20;
    void* const memory = mine.allocate(bytes);
    ASSERT_NE(memory, nullptr);
    std::memset(memory, 1 + p.me, static_cast<std::size_t>(bytes));
    const auto place = mine.find(memory, bytes);
    ASSERT_TRUE(place);
    std::vector<Place> places(static_cast<std::size_t>(p.size));
    ASSERT_TRUE(p.gather(&*place, sizeof(Place), places.data()));
    for (int peer = 0; peer < p.size; ++peer) {
      if (peer == p.me) continue;
      const std::byte* const seen = theirs.map(peer, places[static_cast<std::size_t>(peer)], bytes);
      ASSERT_NE(seen, nullptr);
      EXPECT_EQ(seen[0], static_cast<std::byte>(1 + peer));
      EXPECT_EQ(seen[bytes - 1], static_cast<std::byte>(1 + peer));
    }
    p.barrier();
    EXPECT_TRUE(mine.release(memory));
  });
}

INSTANTIATE_TEST_SUITE_P(Processes, Attached, ::testing::Values(2, 5, 16));

TEST(CommonFile, OneThatCannotOpenItLeavesAllWithFilesOfTheirOwn) {
  run_processes(3, [](Process& p) {
    const int before = open_descriptors();
    CommonFile file = offered(p);
    if (p.me == 1) {
      Offer stale = file.offer();
      ++stale.inode;
      file.hear(stale);
    }
    JoinedNode node(p.me, p.size);
    const bool attached = node.attach(file);
    EXPECT_EQ(attached, p.me != 1);
    ASSERT_FALSE(all_of(p, attached));
    file = {};
    node.join(p.gather);
    EXPECT_EQ(node.assembly(), nullptr);
    EXPECT_EQ(node.why(), "");
    for (int peer = 0; peer < p.size; ++peer) {
      ASSERT_NE(node.memory(peer), nullptr);
      node.memory(peer)[p.me] = std::byte{1};
      EXPECT_EQ(static_cast<bool>(node.transports().copier(peer)), peer != p.me);
    }
    EXPECT_EQ(open_descriptors(), before + p.size);
    p.barrier();
  });
}

TEST(CommonFile, WhatIsNotTheOfferedFileIsRefused) {
  run_processes(2, [](Process& p) {
    CommonFile file = offered(p);
    const Offer offer = file.offer();
    if (p.me == 0) return p.barrier();
    Offer other = offer;
    other.descriptor = 12345;
    file.hear(other);
    EXPECT_EQ(file.open(2), ENOENT);
    other = offer;
    other.shared *= 2;
    file.hear(other);
    EXPECT_EQ(file.open(2), EINVAL);  // the file is smaller than that
    other = offer;
    ++other.device;
    file.hear(other);
    EXPECT_EQ(file.open(2), ESTALE);
    file.hear(offer);
    EXPECT_EQ(file.open(2), 0);
    p.barrier();
  });
}

TEST(CommonFile, NobodyMayLook) {
  run_processes(2, [](Process& p) {
    CommonFile file = offered(p);
    if (p.me == 1) refuse_system_call(SYS_openat, EACCES);
    JoinedNode node(p.me, p.size);
    EXPECT_EQ(node.attach(file), p.me == 0);
    node.join(p.gather);
    EXPECT_EQ(node.why(), "");
    EXPECT_NE(node.memory(1 - p.me), nullptr);
    p.barrier();
  });
}

TEST(CommonFile, WithoutMemfdNothingIsOffered) {
  run_processes(2, [](Process& p) {
    refuse_system_call(SYS_memfd_create, ENOSYS);
    EXPECT_FALSE(offered(p).offered());
  });
}

TEST(CommonFile, AFileSizeLimitLeavesLessToHandOut) {
  run_processes(2, [](Process& p) {
    const rlimit little{512 << 20, 512 << 20};  // not even the node memory of two
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
    EXPECT_FALSE(offered(p).offered());
  });
  run_processes(2, [](Process& p) {
    const rlimit limit{1 << 30, 1 << 30};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    CommonFile file = offered(p);
    ASSERT_TRUE(file.offered());
    JoinedNode node(p.me, p.size);
    ASSERT_TRUE(all_of(p, node.attach(file)));
    node.join_attached();
    EXPECT_GT(node.file(p.me).shared, 128 << 20);
    EXPECT_LT(node.file(p.me).shared, 256 << 20);
    p.barrier();
  });
}

TEST(CommonFile, TermsAreWhatMustBeTheSame) {
  const std::string terms = CommonFile::terms({});
  EXPECT_NE(terms, "");
  EXPECT_EQ(CommonFile::terms({.prefault = 0}), terms);
  EXPECT_NE(CommonFile::terms({.memory = Bytes{64} << 20}), terms);
  EXPECT_NE(CommonFile::terms({.allowed = TransportSet().without("cma")}), terms);
  EXPECT_NE(CommonFile::terms({.allowed = TransportSet().without("mapped")}), terms);
  CommonFile nothing;
  nothing.make(2, {.allowed = TransportSet::none()});
  EXPECT_FALSE(nothing.offered());
}

TEST(CommonFile, ProcessVmDeniedToOneIsKnownToAll) {
  run_processes(3, [](Process& p) {
    CommonFile file = offered(p);
    JoinedNode node(p.me, p.size);
    ASSERT_TRUE(all_of(p, node.attach(file)));
    if (p.me == 1) refuse_system_call(SYS_process_vm_readv, EPERM);
    node.join_attached();
    for (int peer = 0; peer < p.size; ++peer) {
      EXPECT_NE(node.memory(peer), nullptr);
      EXPECT_EQ(static_cast<bool>(node.transports().copier(peer)), peer != p.me && p.me != 1);
      EXPECT_EQ((node.transports().copied_by(peer) != nullptr), peer != p.me && peer != 1);
    }
    EXPECT_NE(node.why().find("process_vm_readv"), std::string::npos) << node.why();
    p.barrier();
  });
}

TEST(CommonFile, ProcessVmThatIsNotAllowedIsNotTried) {
  run_processes(2, [](Process& p) {
    const NodeOptions options{.allowed = TransportSet().without("cma")};
    CommonFile file = offered(p, options);
    JoinedNode node(p.me, p.size, options);
    ASSERT_TRUE(all_of(p, node.attach(file)));
    node.join_attached();
    EXPECT_FALSE(static_cast<bool>(node.transports().copier(1 - p.me)));
    EXPECT_EQ(node.why(), "");
    p.barrier();
  });
}

TEST(CommonFile, EachTransportIsTriedByItself) {
  for (const bool refused : {false, true})
    run_processes(3, [refused](Process& p) {
      if (refused && p.me == 1) setenv("XPMEM_STAND_IN_REFUSES", "get", 1);
      const NodeOptions options{.allowed = TransportSet().with("xpmem")};
      CommonFile file = offered(p, options);
      JoinedNode node(p.me, p.size, options);
      ASSERT_TRUE(all_of(p, node.attach(file)));
      node.join_attached();
      for (int peer = 0; peer < p.size; ++peer) {
        EXPECT_EQ(static_cast<bool>(node.transports().copier(peer)), peer != p.me);
        EXPECT_EQ(node.transports().mapped_by(peer) != nullptr, peer != p.me && (!refused || peer != 1)) << peer;
      }
      EXPECT_EQ(node.why().find("XPMEM") != std::string::npos, refused) << node.why();
      p.barrier();
    });
}

TEST(CommonFile, MemoryOutlivesWhoeverMadeItAndNothingIsLeft) {
  const std::vector<std::string> before = named_segments();
  run_processes(
      3,
      [](Process& p) {
        CommonFile file = offered(p);
        JoinedNode node(p.me, p.size);
        ASSERT_TRUE(all_of(p, node.attach(file)));
        node.join_attached();
        node.memory(p.me)[7] = static_cast<std::byte>(1 + p.me);
        p.barrier();
        if (p.me == 0) raise(SIGKILL);
        p.barrier();  // false by now
        EXPECT_EQ(node.memory(0)[7], std::byte{1});
        node.memory(0)[8] = std::byte{1};
      },
      0);
  EXPECT_EQ(segments_left_since(before), std::vector<std::string>());
}

TEST(Assembly, PartsLongerThanACellAndKeepingOn) {
  struct Shared {
    std::atomic<bool> counts{false};
    std::array<std::atomic<int>, 5> kept_going{};
  };
  void* const page = mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(page, MAP_FAILED);
  static Shared* shared = nullptr;
  static int me = 0;
  shared = new (page) Shared;
  run_processes(5, [](Process& p) {
    me = p.me;
    CommonFile file = offered(p);
    ASSERT_EQ(file.open(p.size), 0);
    Assembly assembly(p.me, p.size, []() noexcept { shared->kept_going[static_cast<std::size_t>(me)] += shared->counts; });
    ASSERT_EQ(assembly.map(file.descriptor()), 0);
    for (const std::size_t bytes : {std::size_t{1}, std::size_t{255}, std::size_t{256}, std::size_t{257}, std::size_t{3000}})
      for (int round = 0; round < 20; ++round) {
        std::vector<unsigned char> mine(bytes), all(bytes * 5);
        for (std::size_t i = 0; i < bytes; ++i) mine[i] = static_cast<unsigned char>(31 * p.me + round + static_cast<int>(i));
        assembly.gather(mine.data(), bytes, all.data());
        for (int from = 0; from < 5; ++from)
          for (std::size_t i = 0; i < bytes; ++i)
            ASSERT_EQ(all[static_cast<std::size_t>(from) * bytes + i],
                      static_cast<unsigned char>(31 * from + round + static_cast<int>(i)));
      }
    EXPECT_TRUE(assembly.all(true));
    EXPECT_FALSE(assembly.all(p.me != 3));
    // The last one comes when all others have kept going while they waited for it.
    p.barrier();
    if (p.me == 4) {
      shared->counts = true;
      for (std::size_t other = 0; other < 4; ++other)
        while (shared->kept_going[other] == 0) std::this_thread::yield();
    }
    EXPECT_TRUE(assembly.all(true));
    p.barrier();
  });
  munmap(page, sizeof(Shared));
}

TEST(Assembly, GoesOnWhereTheSystemRefusesSleep) {
  run_processes(3, [](Process& p) {
    CommonFile file = offered(p);
    ASSERT_EQ(file.open(p.size), 0);
    Assembly assembly(p.me, p.size);
    ASSERT_EQ(assembly.map(file.descriptor()), 0);
    refuse_system_call(SYS_futex, ENOSYS);
    for (int i = 0; i < 100; ++i) EXPECT_EQ(assembly.all(i % 3 != p.me), false);
    p.barrier();
  });
}

}  // namespace
}  // namespace heddle::transport::testing
