// The protocol of docs/protocol.md as code. Threads of one process are the ranks of a node, over
// one plain memory. Schemes, sizes, layouts and timing are random. ThreadSanitizer (scripts/test
// tsan) checks that each byte is handed over properly from writer to reader. It cannot see that
// between processes.
#include <gtest/gtest.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <thread>

#include "engine/node/rendezvous_receiver.hpp"
#include "engine/node/rendezvous_sender.hpp"
#include "mail.hpp"
#include "transport/cma/cma.hpp"

namespace {

/// The kernel refuses this thread's process_vm_readv.
thread_local bool refused = false;
std::atomic<long> reads{0}, refusals{0};

}  // namespace

/// Replaces the system's process_vm_readv, so that it can be refused and counted. ThreadSanitizer
/// does not see the system's copies, so its build copies here. All processes are this process.
extern "C" __attribute__((visibility("default"))) ssize_t process_vm_readv(pid_t process, const iovec* local,
                                                                           unsigned long locals, const iovec* remote,
                                                                           unsigned long remotes, unsigned long flags) {
  if (refused) {
    ++refusals;
    errno = EPERM;
    return -1;
  }
  ++reads;
#ifdef __SANITIZE_THREAD__
  (void)process, (void)flags;
  std::size_t near = 0, far = 0, near_at = 0, far_at = 0;
  ssize_t moved = 0;
  while (near < locals && far < remotes) {
    const std::size_t n = std::min(local[near].iov_len - near_at, remote[far].iov_len - far_at);
    std::memcpy(static_cast<char*>(local[near].iov_base) + near_at, static_cast<char*>(remote[far].iov_base) + far_at, n);
    moved += static_cast<ssize_t>(n);
    if ((near_at += n) == local[near].iov_len) ++near, near_at = 0;
    if ((far_at += n) == remote[far].iov_len) ++far, far_at = 0;
  }
  return moved;
#else
  return syscall(SYS_process_vm_readv, process, local, locals, remote, remotes, flags);
#endif
}

namespace heddle::engine::test::two_threads_test {
namespace {

constexpr Nonce nonce{0x1234567890abcdef, 0xfedcba0987654321};

std::int64_t now_ns() { return std::chrono::steady_clock::now().time_since_epoch().count(); }

/// A sending rank: its node memory, and messages of several threads.
struct Sender {
  Memory memory;
  Arena arena;
  ScratchPool scratch_pool;
  Distances distances{1, now_ns};
  RendezvousSender rendezvous_sender;
  std::atomic<int> native{0}, cancelled{0}, sent{0};

  /// @param shelves  There is private memory to pack several segments in.
  explicit Sender(Bytes size, bool shelves = true)
      : memory(size),
        arena(memory.base(), size),
        rendezvous_sender(arena, nonce, 0, now_ns, true, {shelves ? &scratch_pool : nullptr, distances}) {}

  struct Message {
    Typed type;
    Field field;
    Outgoing* outgoing = nullptr;
    Listed listed{};
    std::uint32_t number;
    Message(int shape, Count ints, std::uint32_t n) : type(typed(shape, ints)), field(type), number(n) {}
  };

  void settle(std::unique_ptr<Message>& message) {
    rendezvous_sender.settle(*message->outgoing);
    message->field.wipe();  // the program may write into its buffer now
    rendezvous_sender.leave(message->outgoing);
    const std::lock_guard guard(lock_);
    gone_.push_back(std::move(message));  // the datatype must stay
  }
  /// MPI_Cancel: takes back only messages that the host takes back.
  void cancel_or_settle(std::unique_ptr<Message>& message, Mail& mail) {
    if (!mail.cancel(message->number)) return settle(message);
    ++cancelled;
    message->field.wipe();
    rendezvous_sender.withdraw(message->outgoing);
    const std::lock_guard guard(lock_);
    gone_.push_back(std::move(message));
  }

  /// Sends messages first, first + 1, ... Settles the messages that it has left open in any order.
  void run(Mail& mail, std::uint32_t first, int messages, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<std::unique_ptr<Message>> open;
    for (std::uint32_t number = first; number < first + static_cast<std::uint32_t>(messages); ++number) {
      const Count ints = 192 * (1 + static_cast<Count>(random() % (random() % 4 ? 40 : 500)));
      auto message = std::make_unique<Message>(static_cast<int>(random() % shapes), ints, number);
      message->field.put(test::message(number, 4 * ints));
      const bool alone = random() % 2;
      Plan plan{.scheme = static_cast<Scheme>(random() % 6), .segment = Bytes{1024} << random() % 7};
      plan.receiver = static_cast<int>(random() % 2) - 1;
      plan.stores = random() % 2 ? layout::Stores::streamed : layout::Stores::cached;
      if (plan.scheme == Scheme::direct) plan.scheme = Scheme::multi_w;  // nothing is mapped here
      if (alone && plan.scheme != Scheme::bc_spup) {
        plan.layout = message->listed = rendezvous_sender.datatype_cache().list(message->type.layout);
        plan.pullable = plan.layout.wire_bytes > 0;
        plan.grace_ns = random() % 3 ? 0 : static_cast<std::int64_t>(random() % 50000);
      }
      Mail::Letter letter{.descriptor = {}, .number = number, .left_open = plan.pullable && random() % 2};
      message->outgoing =
          rendezvous_sender.begin({&message->type.layout, message->type.count, message->field.base()}, plan, letter.descriptor);
      if (!message->outgoing) {
        ++native;
        continue;
      }
      ++sent;
      mail.send(letter);
      if (letter.left_open) {
        open.push_back(std::move(message));
      } else {
        settle(message);
      }
      while (!open.empty() && (open.size() > 6 || random() % 4 == 0)) {
        auto which = open.begin() + static_cast<std::ptrdiff_t>(random() % open.size());
        if (random() % 6 == 0) {
          cancel_or_settle(*which, mail);
        } else {
          settle(*which);
        }
        open.erase(which);
      }
      if (random() % 8 == 0) std::this_thread::yield();
    }
    for (auto& message : open) settle(message);
  }

  /// When the receivers have ended, all memory must have come back.
  void expect_all_back() {
    rendezvous_sender.sweep();
    EXPECT_EQ(rendezvous_sender.under_way(), 0U);
    EXPECT_EQ(arena.reserved(), 0);
  }

 private:
  std::mutex lock_;
  std::vector<std::unique_ptr<Message>> gone_;
};

/// Receives until the mail is closed. Returns the number of messages.
int run_receiver(Mail& mail, std::byte* memory, Bytes size, std::uint32_t seed, bool may_refuse) {
  std::mt19937 random(seed);
  PeerDatatypes known;
  ScratchPool scratch_pool;
  Distances distances(1, now_ns);
  transport::cma::Cma own(std::vector<pid_t>{getpid()});
  int received = 0;
  while (const auto letter = mail.receive(random)) {
    ++received;
    Descriptor descriptor;
    EXPECT_TRUE(is_descriptor(&letter->descriptor, nonce));
    EXPECT_TRUE(read(&letter->descriptor, nonce, 1, size, descriptor));
    const Count ints = descriptor.total / 4;
    // The buffer is as large as the message, larger, or too small.
    const Count room = random() % 5 == 0 ? std::max<Count>(192, ints / 2 / 192 * 192) : ints + (random() % 5 ? 0 : 192 * 3);
    const Typed type = typed(static_cast<int>(random() % shapes), room);
    Field field(type);
    // A receiver that was probed pulls for ever, so only other receivers are refused.
    refused = may_refuse && !letter->left_open && random() % 4 == 0;
    if (random() % 6 == 0) std::this_thread::sleep_for(std::chrono::microseconds(random() % 300));
    const Reach reach{.memory = memory,
                      .memory_size = size,
                      .copier = random() % 5 == 0 && !letter->left_open ? transport::Copier() : transport::Copier{&own, 0},
                      .known = &known,
                      .scratch_pool = &scratch_pool,
                      .distances = random() % 4 ? &distances : nullptr,
                      .crowded = true};
    EXPECT_FALSE(stale(descriptor, reach));
    const Bytes moved = receive(descriptor, reach, {&type.layout, type.count, field.base()});
    refused = false;
    EXPECT_EQ(moved, std::min<Bytes>(descriptor.total, type.count * type.layout.size()));
    EXPECT_TRUE(field.holds(message(letter->number, descriptor.total), moved)) << "message " << letter->number;
  }
  return received;
}

std::uint32_t seed_of_run() {
  const char* wanted = std::getenv("TEST_SEED");
  return wanted ? static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10)) : std::random_device{}();
}

#if defined(__SANITIZE_THREAD__)
constexpr int messages = 500;
#else
constexpr int messages = 2000;
#endif

}  // namespace

TEST(TwoThreads, EveryMessageArrivesOnceAndWhole) {
  const std::uint32_t seed = seed_of_run();
  SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
  Sender sender(Bytes{64} << 20);
  Mail mail(100);  // 6 slots each at most: all messages under way find room
  int received = 0;
  std::thread receiver([&] { received = run_receiver(mail, sender.memory.base(), sender.memory.size(), seed + 1, true); });
  sender.run(mail, 0, messages, seed);
  mail.close();
  receiver.join();
  EXPECT_EQ(received, sender.sent - sender.cancelled);
  EXPECT_EQ(sender.native, 0);
  EXPECT_GT(reads, 0);                     // cells were taken by the receiver,
  EXPECT_GT(refusals, 0);                  // and some given back
  EXPECT_GT(sender.distances.line(0), 0);  // a receiver has measured the line, and told the sender
  sender.expect_all_back();
}

/// With little node memory, some messages find no room. No other message waits for that.
TEST(TwoThreads, LittleRoom) {
  const std::uint32_t seed = seed_of_run();
  SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
  Sender sender(Bytes{2} << 20, false);
  Mail mail;
  int received = 0;
  std::thread receiver([&] { received = run_receiver(mail, sender.memory.base(), sender.memory.size(), seed + 1, true); });
  sender.run(mail, 0, messages / 2, seed);
  mail.close();
  receiver.join();
  EXPECT_EQ(received, sender.sent - sender.cancelled);
  EXPECT_GT(sender.sent, 0);
  sender.expect_all_back();
}

/// Two threads of one rank send, and two others receive. Each has messages of its own
/// (MPI_THREAD_MULTIPLE).
TEST(TwoThreads, TwoOnEachSide) {
  const std::uint32_t seed = seed_of_run();
  SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
  Sender sender(Bytes{64} << 20);
  Mail mail;
  std::atomic<int> received{0};
  std::vector<std::thread> receivers, senders;
  for (std::uint32_t i = 0; i < 2; ++i) {
    receivers.emplace_back(
        [&, i] { received += run_receiver(mail, sender.memory.base(), sender.memory.size(), seed + 10 + i, true); });
    senders.emplace_back([&, i] { sender.run(mail, 100000 * i, messages / 2, seed + i); });
  }
  for (std::thread& each : senders) each.join();
  mail.close();
  for (std::thread& each : receivers) each.join();
  EXPECT_EQ(received, sender.sent - sender.cancelled);
  sender.expect_all_back();
}

/// The receiver begins after the sender has returned from all calls, so the message no longer
/// depends on the sender.
TEST(TwoThreads, TheReceiverComesWhenTheSenderHasLeft) {
  const std::uint32_t seed = seed_of_run();
  SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
  Sender sender(Bytes{64} << 20);
  Mail mail;
  sender.run(mail, 0, 60, seed);
  mail.close();
  const int received = run_receiver(mail, sender.memory.base(), sender.memory.size(), seed + 1, true);
  EXPECT_EQ(received, sender.sent - sender.cancelled);
  sender.expect_all_back();
}

}  // namespace heddle::engine::test::two_threads_test
