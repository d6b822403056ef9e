// Refusals by the kernel or a stranger cause no exception and no hang. The rest works, and why()
// names the cause.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <utility>

#include "processes.hpp"
#include "transport/join_node.hpp"

namespace heddle::transport::testing {
namespace {

void expect_names(const JoinedNode& node, std::initializer_list<const char*> words) {
  for (const char* word : words) EXPECT_NE(node.why().find(word), std::string::npos) << word << " in: " << node.why();
}

void expect_same_sentence(const Process& p, const JoinedNode& node) {
  std::array<char, 400> mine{};
  std::strncpy(mine.data(), node.why().c_str(), mine.size() - 1);
  std::vector<std::array<char, 400>> all(static_cast<std::size_t>(p.size));
  ASSERT_TRUE(p.gather(mine.data(), mine.size(), all.data()));
  EXPECT_EQ(std::ranges::count(all, mine), p.size);
}

TEST(Refusals, ProcessVmDeniedLeavesTheMemory) {
  run_processes(2, [](Process& p) {
    refuse_system_call(SYS_process_vm_readv, EPERM);
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_FALSE(static_cast<bool>(node.transports().copier(1 - p.me)));
    EXPECT_FALSE((node.transports().copied_by(1 - p.me) != nullptr));
    expect_names(node, {"process_vm_readv", "EPERM", "HEDDLE_TRANSPORTS"});
    ASSERT_NE(node.memory(1 - p.me), nullptr);
    node.memory(1 - p.me)[p.me] = std::byte{1};
    p.barrier();
    EXPECT_EQ(node.memory(p.me)[1 - p.me], std::byte{1});
    expect_same_sentence(p, node);
  });
}

TEST(Refusals, ProcessVmDeniedToOneIsKnownToTheOther) {
  run_processes(2, [](Process& p) {
    if (p.me == 0) refuse_system_call(SYS_process_vm_readv, ENOSYS);
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_EQ(static_cast<bool>(node.transports().copier(1 - p.me)), p.me == 1);
    EXPECT_EQ((node.transports().copied_by(1 - p.me) != nullptr), p.me == 0);
    expect_names(node, {"process 0 of the node cannot read the memory of process 1", "ENOSYS"});
  });
}

TEST(Refusals, WithoutMemfdThereIsNoNodeMemoryButProcessVmStays) {
  run_processes(2, [](Process& p) {
    refuse_system_call(SYS_memfd_create, ENOSYS);
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_EQ(node.memory(0), nullptr);
    EXPECT_EQ(node.memory(1), nullptr);
    EXPECT_TRUE(static_cast<bool>(node.transports().copier(1 - p.me)));
    expect_names(node, {"cannot create its node memory", "ENOSYS", "1 more", "through the MPI library"});
    expect_same_sentence(p, node);
  });
}

TEST(Refusals, OneWithoutMemfdIsLeftOutByAll) {
  run_processes(4, [](Process& p) {
    if (p.me == 2) refuse_system_call(SYS_memfd_create, EPERM);
    const JoinedNode node(p.me, p.size, p.gather);
    for (int peer = 0; peer < p.size; ++peer) EXPECT_EQ(node.memory(peer) != nullptr, p.me != 2 && peer != 2) << peer;
    expect_names(node, {"process 2 of the node cannot create its node memory: EPERM"});
    expect_same_sentence(p, node);
    p.barrier();
  });
}

TEST(Refusals, AProcessAloneSaysSoInItsOwnName) {
  run_processes(1, [](Process& p) {
    refuse_system_call(SYS_memfd_create, EPERM);
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_EQ(node.memory(0), nullptr);
    EXPECT_EQ(node.memory_size(), 0);
    expect_names(node, {"this process cannot create its node memory: EPERM"});
  });
}

TEST(Refusals, NoDescriptorsLeft) {
  for (const int spare : {0, 1, 2}) {  // no descriptor for the memory; none for a socket; none for a peer's memory
    run_processes(3, [&](Process& p) {
      if (p.me == 1) {
        const int next = fcntl(0, F_DUPFD_CLOEXEC, 0);
        close(next);
        const rlimit limit{static_cast<rlim_t>(next + spare), static_cast<rlim_t>(next + spare)};
        ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
      }
      const JoinedNode node(p.me, p.size, p.gather, {.timeout_ms = 2000});
      EXPECT_EQ(node.memory(2 - p.me), p.me == 1 ? node.memory(1) : node.memory(2 - p.me));
      EXPECT_EQ(node.memory((p.me + 1) % 3) != nullptr, p.me == 2);
      EXPECT_EQ(node.memory((p.me + 2) % 3) != nullptr, p.me == 0);
      expect_names(node, {"process 1 of the node", "EMFILE", "ulimit -n"});
      expect_same_sentence(p, node);
    });
  }
}

TEST(Refusals, AnOrdinaryUserMayHaveFewDescriptorsUnderWay) {
  if (geteuid() != 0) GTEST_SKIP() << "needs root to become somebody who has not been counted yet";
  run_processes(24, [&](Process& p) {
    const rlimit limit{64, 64};
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ASSERT_EQ(setresuid(54321, 54321, 54321), 0);  // 240 descriptors could wait in queues: ETOOMANYREFS
    ASSERT_EQ(prctl(PR_SET_DUMPABLE, 1), 0);       // as for a program that such a user starts
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_EQ(node.why(), "");
    for (int peer = 0; peer < p.size; ++peer) EXPECT_NE(node.memory(peer), nullptr);
    p.barrier();
  });
}

TEST(Refusals, AFileSizeLimitIsAnErrorAndNotASignal) {
  run_processes(2, [](Process& p) {
    const rlimit limit{1 << 20, 1 << 20};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_EQ(node.memory(1 - p.me), nullptr);
    expect_names(node, {"EFBIG", "ulimit -f"});
  });
  run_processes(2, [](Process& p) {  // enough for node memory, and for less memory to hand out
    const rlimit limit{512 << 20, 512 << 20};
    ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_EQ(node.why(), "");
    EXPECT_EQ(node.file(p.me).shared, 254 << 20);
    p.barrier();
  });
}

TEST(Refusals, NoAddressSpace) {
  if (sanitized) GTEST_SKIP() << "sanitizers need all address space";
  run_processes(3, [](Process& p) {
    if (p.me == 0) {
      const rlimit limit{400 << 20, 400 << 20};  // its own memory, but no peer's
      ASSERT_EQ(setrlimit(RLIMIT_AS, &limit), 0);
    }
    const JoinedNode node(p.me, p.size, p.gather);
    EXPECT_EQ(node.memory(0) != nullptr, p.me == 0);
    EXPECT_EQ(node.memory(1) != nullptr, p.me != 0);
    expect_names(node, {"process 0 of the node cannot map", "ENOMEM", "HEDDLE_NODE_MEMORY"});
    expect_same_sentence(p, node);
    p.barrier();
  });
}

TEST(Refusals, ADescriptorFromAnotherProcessThanTheAnnouncedOne) {
  run_processes(3, [](Process& p) {
    bool announced = false;
    const JoinedNode node(p.me, p.size, [&](const void* mine, std::size_t bytes, void* all) {
      const bool done = p.gather(mine, bytes, all);
      if (p.me != 1 || std::exchange(announced, true)) return done;
      const pid_t other = fork();  // has the announced key and socket, but another process number
      if (other == 0) return done;
      int status = 0;
      waitpid(other, &status, 0);
      _exit(WEXITSTATUS(status));
    });
    for (int peer = 0; peer < 3; ++peer) {
      if (peer == p.me) continue;
      const bool trusted = p.me != 1 && peer != 1;
      EXPECT_EQ(node.memory(peer) != nullptr, trusted) << peer;
      EXPECT_TRUE(p.me == 1 || static_cast<bool>(node.transports().copier(peer)) == trusted) << peer;
    }
    expect_names(node, {"refused a descriptor that came from another process than process 1 of the node", "EACCES"});
    expect_same_sentence(p, node);
  });
}

/// Sends rubbish to every mailbox that the kernel lists: too short, too long, without a key, with a
/// descriptor.
void harass() {
  const Descriptor socket(::socket(AF_UNIX, SOCK_DGRAM, 0));
  std::ifstream sockets("/proc/net/unix");
  for (std::string line; std::getline(sockets, line);) {
    const std::size_t at = line.find("@heddle-");
    if (at == std::string::npos) continue;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::size_t length = line.copy(address.sun_path + 1, sizeof address.sun_path - 1, at + 1);
    for (int i = 0; i < 12; ++i) {
      std::uint64_t letter[8] = {0x3165'6c64'6465'68, static_cast<std::uint64_t>(i % 4)};  // right but for the key
      iovec content{letter, i % 3 == 0 ? std::size_t{7} : i % 3 == 1 ? sizeof letter : std::size_t{32}};
      alignas(cmsghdr) char control[CMSG_SPACE(3 * sizeof(int))] = {};
      msghdr message{};
      message.msg_name = &address;
      message.msg_namelen = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + length);
      message.msg_iov = &content;
      message.msg_iovlen = 1;
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr* const header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(3 * sizeof(int));
      const int three[3] = {socket.get(), socket.get(), socket.get()};
      std::memcpy(CMSG_DATA(header), three, sizeof three);
      sendmsg(socket.get(), &message, MSG_DONTWAIT);
    }
  }
}

TEST(Refusals, LettersOfStrangersAreThrownAway) {
  run_processes(4, [](Process& p) {
    const int before = open_descriptors();
    {
      bool announced = false;
      const JoinedNode node(p.me, p.size, [&](const void* mine, std::size_t bytes, void* all) {
        if (!std::exchange(announced, true)) {
          p.barrier();  // every mailbox exists
          if (p.me == 0) harass();
        }
        return p.gather(mine, bytes, all);
      });
      EXPECT_EQ(node.why(), "");
      for (int peer = 0; peer < p.size; ++peer) EXPECT_NE(node.memory(peer), nullptr);
      EXPECT_LE(open_descriptors(), before + p.size);
    }
    EXPECT_EQ(open_descriptors(), before);
  });
}

}  // namespace
}  // namespace heddle::transport::testing
