// Probes of several threads (MPI_THREAD_MULTIPLE). They take no message from each other or from
// receives, and change no order.
#include <atomic>
#include <map>
#include <memory>
#include <random>
#include <thread>
#include <vector>

#include "traps/large.hpp"

namespace heddle::test::concurrent_probes_tests {
namespace {

constexpr int tag = 3;

/// If another thread receives a message meanwhile, Open MPI 5.0.11's MPI_Iprobe tells any size for
/// it, even a negative one.
#ifdef OMPI_MAJOR_VERSION
constexpr bool tells_sizes = false;
#else
constexpr bool tells_sizes = true;
#endif

bool multiple() {
  int level = MPI_THREAD_SINGLE;
  MPI_Query_thread(&level);
  return level == MPI_THREAD_MULTIPLE;
}

int ints_in(const MPI_Status& status) {
  int ints = -1;
  MPI_Get_count(&status, MPI_INT, &ints);
  return ints;
}

}  // namespace

/// Any number of probes can see one message.
TEST_RANKS(2, ConcurrentProbes, AllSeeOneMessage) {
  if (!multiple()) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  for (std::uint32_t turn = 0; turn < 20; ++turn) {
    Large data(turn % 2 ? Shape::scattered : Shape::contiguous, 16 * KiB);
    const int ints = turn % 2 ? data.ints() : 32;
    if (team.rank == 0) {
      data.fill(turn);
      MPI_Barrier(team.comm);
      MPI_Send(data.base(), turn % 2 ? data.count() : ints, data.type(), 1, tag, team.comm);
      MPI_Barrier(team.comm);
      continue;
    }
    std::vector<std::thread> probing;
    for (int t = 0; t < 3; ++t)
      probing.emplace_back([&] {
        MPI_Status status;
        MPI_Probe(0, tag, team.comm, &status);
        EXPECT_EQ(ints_in(status), ints);
      });
    MPI_Barrier(team.comm);
    for (std::thread& each : probing) each.join();
    Large in(Shape::pairs, 16 * KiB);
    MPI_Recv(in.base(), in.count(), in.type(), 0, tag, team.comm, MPI_STATUS_IGNORE);
    EXPECT_EQ(in.wrong(turn, static_cast<std::size_t>(ints)), "");
    MPI_Barrier(team.comm);
  }
}

/// One thread polls, and another receives. The messages come in the order of sending.
TEST_RANKS(2, ConcurrentProbes, PollingTakesNothingFromReceives) {
  if (!multiple()) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  constexpr std::uint32_t messages = 400;
  const auto size = [](std::uint32_t i) { return i % 3 == 1 ? KiB : 8 * KiB; };
  if (team.rank == 0) {
    for (std::uint32_t i = 0; i < messages; ++i) {
      Large out(i % 3 ? Shape::contiguous : Shape::rows, size(i));
      out.fill(i);
      MPI_Send(out.base(), i % 3 == 1 ? 32 : out.count(), out.type(), 1, tag + static_cast<int>(i % 2), team.comm);
    }
    return;
  }
  std::atomic<bool> over{false};
  std::thread polling([&] {
    while (!over) {
      int flag = 0;
      MPI_Status status;
      MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &flag, &status);
      if (flag && tells_sizes) {
        const int ints = ints_in(status);
        EXPECT_TRUE(ints == 32 || ints >= 2048) << ints;
      }
    }
  });
  for (std::uint32_t i = 0; i < messages; ++i) {
    Large in(Shape::structs, 9 * KiB);
    MPI_Status status;
    MPI_Recv(in.base(), in.count(), in.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &status);
    EXPECT_EQ(status.MPI_TAG, tag + static_cast<int>(i % 2)) << i;
    EXPECT_EQ(in.wrong(i, static_cast<std::size_t>(ints_in(status))), "");
  }
  over = true;
  polling.join();
}

namespace {

// Storms: two threads of each rank send, and two receive, each on a communicator of its own. The
// receivers also probe each other's communicators.

struct Letter {
  bool typed;
  Shape shape;
  std::size_t bytes;
  int ints;  ///< If not typed: the number of ints.
};
/// The messages by tag: announced messages, and messages of lengths that announcements could have.
constexpr Letter letters[] = {
    {true, Shape::rows, 8 * KiB, 0},     {true, Shape::scattered, 24 * KiB, 0}, {false, Shape::contiguous, KiB, 32},
    {false, Shape::contiguous, KiB, 40}, {true, Shape::pairs, 150 * KiB, 0},    {false, Shape::contiguous, KiB, 56},
    {false, Shape::contiguous, KiB, 4},  {true, Shape::columns, 8 * KiB, 0},    {false, Shape::contiguous, 6 * KiB, 1536}};
constexpr int kinds = static_cast<int>(std::size(letters)), senders = 2, each = 60, never_sent = 99;
constexpr std::size_t largest = 160 * KiB;

int ints_of(const Letter& letter) { return letter.typed ? Large(letter.shape, letter.bytes).ints() : letter.ints; }

using Random = std::mt19937;
int pick(Random& random, int below) { return static_cast<int>(random() % static_cast<unsigned>(below)); }

/// The kinds of the messages that thread `thread` of `from` sends to `to` on communicator `c`, in
/// order.
std::vector<int> stream(std::uint32_t seed, int from, int thread, int to, int c) {
  std::seed_seq mixed{seed, static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(thread),
                      static_cast<std::uint32_t>(to), static_cast<std::uint32_t>(c)};
  Random random(mixed);
  std::vector<int> kinds_sent(each);
  for (int& kind : kinds_sent) kind = pick(random, kinds);
  return kinds_sent;
}

std::uint32_t name(int from, int thread, int number) {
  return static_cast<std::uint32_t>((from * senders + thread) * 1000 + number);
}

void send_all(const Team& team, const MPI_Comm (&comms)[2], std::uint32_t seed, int thread) {
  Random random(seed + static_cast<std::uint32_t>(17 * team.rank + thread));
  struct Open {
    std::unique_ptr<Large> data;
    MPI_Request request;
  };
  std::vector<Open> open;
  std::vector<std::pair<int, int>> left;  // to, communicator
  std::map<std::pair<int, int>, int> next;
  for (int to = 0; to < team.size; ++to)
    for (int c = 0; c < 2; ++c) left.emplace_back(to, c);
  while (!left.empty()) {
    const auto at = left.begin() + pick(random, static_cast<int>(left.size()));
    const auto [to, c] = *at;
    const int number = next[*at]++;
    const int kind = stream(seed, team.rank, thread, to, c)[static_cast<std::size_t>(number)];
    const Letter& letter = letters[kind];
    Open one{std::make_unique<Large>(letter.shape, letter.bytes), MPI_REQUEST_NULL};
    one.data->fill(name(team.rank, thread, number));
    (pick(random, 4) == 0 ? MPI_Issend : MPI_Isend)(one.data->base(), letter.typed ? one.data->count() : letter.ints,
                                                    one.data->type(), to, thread * kinds + kind, comms[c], &one.request);
    open.push_back(std::move(one));
    if (number + 1 == each) left.erase(at);
    if (open.size() >= 6 || left.empty()) {
      for (Open& sent : open) MPI_Wait(&sent.request, MPI_STATUS_IGNORE);
      open.clear();
    }
  }
}

/// Receives all messages of one communicator, and compares each with the expected next message.
class Receiver {
 public:
  Receiver(const Team& team, MPI_Comm comm, MPI_Comm other, std::uint32_t seed, int c)
      : team_(team), comm_(comm), other_(other), random_(seed + static_cast<std::uint32_t>(1000 + 10 * team.rank + c)) {
    for (int from = 0; from < team.size; ++from)
      for (int thread = 0; thread < senders; ++thread) {
        const std::vector<int> sent = stream(seed, from, thread, team.rank, c);
        for (int i = 0; i < each; ++i) missing_[{from, thread}].emplace_back(i, sent[static_cast<std::size_t>(i)]);
      }
  }

  void receive_all() {
    int left = team_.size * senders * each;
    while (left > 0 && !::testing::Test::HasFailure()) left -= step();
    while (left > 0) left -= drop();  // so that no other rank waits for this one after a failure
  }

 private:
  int step() {
    MPI_Message message = MPI_MESSAGE_NULL;
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Status status;
    int flag = 0;
    look(other_);
    switch (pick(random_, 8)) {
      case 0:
        MPI_Recv(in_.base(), in_.count(), in_.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &status);
        return came(status, true);
      case 1:
        MPI_Irecv(in_.base(), in_.count(), in_.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &request);
        while (!flag) MPI_Test(&request, &flag, &status);
        return came(status, true);
      case 2: {  // seen by its tag, and received by its tag
        MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &status);
        seen(status);
        const int from = status.MPI_SOURCE, with = status.MPI_TAG;
        MPI_Recv(in_.base(), in_.count(), in_.type(), from, with, comm_, &status);
        EXPECT_EQ(status.MPI_TAG, with);
        return came(status, false);
      }
      case 3: {  // seen by its tag, but the first message is received
        MPI_Iprobe(MPI_ANY_SOURCE, pick(random_, senders * kinds), comm_, &flag, &status);
        if (!flag) return 0;
        seen(status);
        MPI_Recv(in_.base(), in_.count(), in_.type(), status.MPI_SOURCE, MPI_ANY_TAG, comm_, &status);
        return came(status, true);
      }
      case 4:
        MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &message, &status);
        seen(status);
        MPI_Mrecv(in_.base(), in_.count(), in_.type(), &message, &status);
        return came(status, true);
      case 5:
        MPI_Improbe(MPI_ANY_SOURCE, pick(random_, senders * kinds), comm_, &flag, &message, &status);
        if (!flag) return 0;
        seen(status);
        MPI_Imrecv(in_.base(), in_.count(), in_.type(), &message, &request);
        MPI_Wait(&request, &status);
        return came(status, false);
      case 6:
        MPI_Irecv(in_.base(), in_.count(), in_.type(), MPI_ANY_SOURCE, never_sent, comm_, &request);
        look(comm_);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        EXPECT_TRUE(flag);
        return 0;
      default:  // cancelled in time or not
        MPI_Irecv(in_.base(), in_.count(), in_.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, &request);
        MPI_Cancel(&request);
        MPI_Wait(&request, &status);
        MPI_Test_cancelled(&status, &flag);
        return flag ? 0 : came(status, true);
    }
  }

  int drop() {
    MPI_Recv(in_.base(), in_.count(), in_.type(), MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, MPI_STATUS_IGNORE);
    return 1;
  }

  void look(MPI_Comm comm) {
    int flag = 0;
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm, &flag, &status);
    if (flag && (comm == comm_ || tells_sizes)) seen(status);
  }
  void seen(const MPI_Status& status) {
    EXPECT_EQ(ints_in(status), sizes_[static_cast<std::size_t>(status.MPI_TAG % kinds)]) << "tag " << status.MPI_TAG;
  }

  /// @param any_tag  The receive took any tag, so no earlier message of that thread can be missing.
  int came(const MPI_Status& status, bool any_tag) {
    seen(status);
    const int thread = status.MPI_TAG / kinds, kind = status.MPI_TAG % kinds;
    std::vector<std::pair<int, int>>& missing = missing_[{status.MPI_SOURCE, thread}];
    auto at = missing.begin();
    while (at != missing.end() && at->second != kind) ++at;
    if (at == missing.end()) {
      ADD_FAILURE() << "nothing more of tag " << status.MPI_TAG << " was to come from " << status.MPI_SOURCE;
      return 1;
    }
    EXPECT_TRUE(!any_tag || at == missing.begin()) << "number " << at->first << " has overtaken " << missing.front().first;
    EXPECT_EQ(in_.wrong(name(status.MPI_SOURCE, thread, at->first), static_cast<std::size_t>(ints_in(status))), "");
    in_.clear();
    missing.erase(at);
    return 1;
  }

  const Team& team_;
  MPI_Comm comm_, other_;
  Random random_;
  Large in_{Shape::pairs, largest};
  std::map<std::pair<int, int>, std::vector<std::pair<int, int>>> missing_;  // number, kind
  std::vector<int> sizes_ = [] {
    std::vector<int> sizes;
    for (const Letter& letter : letters) sizes.push_back(ints_of(letter));
    return sizes;
  }();
};

}  // namespace

TEST_EACH_RANKS(1, 3, ConcurrentProbes, StormsKeepTheirOrder) {
  if (!multiple()) GTEST_SKIP() << "the host has no MPI_THREAD_MULTIPLE";
  MPI_Comm comms[2];
  for (MPI_Comm& comm : comms) MPI_Comm_dup(team.comm, &comm);
  for (int round = 0; round < rounds(4); ++round) {
    const std::uint32_t seed = run_seed() + 7919 * static_cast<std::uint32_t>(round);
    SCOPED_TRACE("round " + std::to_string(round) + ", seed " + std::to_string(seed));
    std::vector<std::thread> threads;
    for (int t = 0; t < senders; ++t) threads.emplace_back([&, t] { send_all(team, comms, seed, t); });
    for (int c = 0; c < 2; ++c) threads.emplace_back([&, c] { Receiver(team, comms[c], comms[1 - c], seed, c).receive_all(); });
    for (std::thread& thread : threads) thread.join();
    MPI_Barrier(team.comm);
  }
  for (MPI_Comm& comm : comms) MPI_Comm_free(&comm);
}

}  // namespace heddle::test::concurrent_probes_tests
