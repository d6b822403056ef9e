// Processes attach each other's memory by XPMEM, which stand_in/ stands in for. If it refuses, the
// other transports go on.
#include "transport/xpmem/xpmem.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <vector>

#include "processes.hpp"

extern "C" long xpmem_stand_in_attaches();
extern "C" long xpmem_stand_in_attached();

namespace heddle::transport::testing {
namespace {

constexpr Bytes pages = 16;

/// Memory in a file, with one value in all bytes.
std::byte* filled(std::byte value, void* at = nullptr, Bytes present = pages) {
  const auto bytes = static_cast<std::size_t>(pages * page_size());
  const int file = memfd_create("test", MFD_CLOEXEC);
  EXPECT_EQ(ftruncate(file, present * page_size()), 0);
  void* const memory = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | (at ? MAP_FIXED : 0), file, 0);
  EXPECT_NE(memory, MAP_FAILED);
  std::memset(memory, static_cast<int>(value), static_cast<std::size_t>(present * page_size()));
  return static_cast<std::byte*>(memory);  // the file stays open: the stand-in looks for it
}

/// The addresses of all processes.
std::vector<std::byte*> addresses(const Process& p, std::byte* mine) {
  std::vector<std::byte*> all(static_cast<std::size_t>(p.size));
  EXPECT_TRUE(p.gather(&mine, sizeof mine, all.data()));
  return all;
}

const NodeOptions with_xpmem{.allowed = TransportSet().with("xpmem")};

bool holds(const MappedBuffer& buffer, Bytes bytes, std::byte value) {
  return std::all_of(buffer.address(), buffer.address() + bytes, [value](std::byte each) { return each == value; });
}

TEST(Xpmem, AttachesTheMemoryItselfForAsLongAsTheBufferLives) {
  run_processes(3, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, with_xpmem);
    EXPECT_EQ(node.why(), "");
    std::byte* const mine = filled(std::byte{1});
    const std::vector<std::byte*> all = addresses(p, mine);
    const int next = (p.me + 1) % p.size;
    EXPECT_NE(node.transports().mapped_by(next), nullptr);
    EXPECT_EQ(node.transports().mapped_by(p.me), nullptr);
    const Bytes bytes = 3 * page_size();
    {
      const MappedBuffer theirs = node.transports().map({next, all[static_cast<std::size_t>(next)] + 100, bytes});
      ASSERT_NE(theirs.address(), nullptr);
      EXPECT_TRUE(holds(theirs, bytes, std::byte{1}));
      p.barrier();
      std::memset(mine, 2, static_cast<std::size_t>(pages * page_size()));
      p.barrier();
      EXPECT_TRUE(holds(theirs, bytes, std::byte{2}));
      EXPECT_EQ(xpmem_stand_in_attached(), 1);
    }
    EXPECT_EQ(xpmem_stand_in_attached(), 0);
    EXPECT_EQ(xpmem_stand_in_attaches(), 1);
    p.barrier();
  });
}

TEST(Xpmem, MemoryThatIsMappedAnewIsSeenAnew) {
  run_processes(2, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, with_xpmem);
    std::byte* const mine = filled(std::byte{1});
    const std::vector<std::byte*> all = addresses(p, mine);
    const PeerBuffer buffer{1 - p.me, all[static_cast<std::size_t>(1 - p.me)], pages * page_size()};
    for (int round = 1; round < 4; ++round) {
      const MappedBuffer theirs = node.transports().map(buffer);
      ASSERT_NE(theirs.address(), nullptr);
      EXPECT_TRUE(holds(theirs, buffer.bytes, static_cast<std::byte>(round)));
      p.barrier();
      filled(static_cast<std::byte>(round + 1), mine);
      p.barrier();
    }
  });
}

TEST(Xpmem, PagesThatCannotBeReadRaiseNoSignal) {
  run_processes(2, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather, with_xpmem);
    const std::vector<std::byte*> all = addresses(p, filled(std::byte{1}, nullptr, pages - 1));
    std::byte* const theirs = all[static_cast<std::size_t>(1 - p.me)];
    EXPECT_EQ(node.transports().map({1 - p.me, theirs, pages * page_size()}).address(), nullptr);
    EXPECT_NE(node.transports().map({1 - p.me, theirs, (pages - 1) * page_size()}).address(), nullptr);
    EXPECT_EQ(node.transports().map({1 - p.me, theirs, Xpmem::most + 1}).address(), nullptr);
    EXPECT_EQ(node.transports().map({1 - p.me, theirs, 0}).address(), nullptr);
    EXPECT_EQ(xpmem_stand_in_attached(), 0);
    p.barrier();
  });
}

TEST(Xpmem, RefusalsLeaveTheOtherTransports) {
  for (const char* what : {"make", "get"})
    for (const int only : {-1, 1})
      run_processes(3, [=](Process& p) {
        if (only < 0 || p.me == only) setenv("XPMEM_STAND_IN_REFUSES", what, 1);
        const JoinedNode node(p.me, p.size, p.gather, with_xpmem);
        EXPECT_NE(node.why().find("XPMEM"), std::string::npos) << node.why();
        EXPECT_NE(node.why().find("HEDDLE_TRANSPORTS"), std::string::npos) << node.why();
        for (int peer = 0; peer < p.size; ++peer) {
          EXPECT_EQ(static_cast<bool>(node.transports().copier(peer)), peer != p.me);
          EXPECT_NE(node.memory(peer), nullptr);
          const bool mapped = node.transports().mapped_by(peer);
          // A process that may not get a permit still gives permits.
          const bool works = peer != p.me && only >= 0 && peer != only && (p.me != only || std::strcmp(what, "get") == 0);
          EXPECT_EQ(mapped, works) << what << ", process " << p.me << " and " << peer;
        }
        p.barrier();
      });
}

TEST(Xpmem, AnAttachmentMayBeRefused) {
  run_processes(2, [](Process& p) {
    setenv("XPMEM_STAND_IN_REFUSES", "attach", 1);
    const JoinedNode node(p.me, p.size, p.gather, with_xpmem);
    const std::vector<std::byte*> all = addresses(p, filled(std::byte{1}));
    EXPECT_NE(node.transports().mapped_by(1 - p.me), nullptr);
    EXPECT_EQ(node.transports().map({1 - p.me, all[static_cast<std::size_t>(1 - p.me)], pages * page_size()}).address(),
              nullptr);
    p.barrier();
  });
}

TEST(Xpmem, IsNotTriedWithoutBeingAskedFor) {
  run_processes(2, [](Process& p) {
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_EQ(node.transports().mapped_by(1 - p.me), nullptr);
    for (const auto& each : node.transports().all()) EXPECT_NE(each->entry().name, "xpmem");
  });
}

}  // namespace
}  // namespace heddle::transport::testing
