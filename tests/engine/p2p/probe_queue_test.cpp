// Memory stands for the library: messages lie in the order in which they were sent.
#include "engine/p2p/probe_queue.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>
#include <map>
#include <utility>

namespace heddle::engine::probe_queue_test {
namespace {

using Kind = Lengths::Kind;

constexpr Bytes announced_bytes = 1 << 20;
constexpr Bytes short_one = Lengths::of(1);  // as long as a descriptor may be
constexpr int refused = 17, out_of_memory = 18;

struct Sent {
  int source, tag, comm;
  Bytes length;
  bool descriptor = false;
};

/// Communicators, messages and requests are numbers; 0: none.
class Memory {
 public:
  using Communicator = int;
  using Message = int;
  using Request = int;
  struct Hold {
    Hold() = default;
    explicit Hold(int comm) : of(comm) {}
    [[nodiscard]] bool same(const Hold& other) const { return of == other.of; }
    int of = 0;
  };
  struct Envelope {
    int rank, tag, comm;
  };
  struct Status {
    int source = -1, tag = -1;
    Bytes bytes = -1;
  };
  static constexpr int any_source = -1, any_tag = -1, nobodys = -5;
  static int no_message() { return 0; }
  static int no_request() { return 0; }
  static bool is_nobodys(int message) { return message == nobodys; }
  static int source_of(const Status& status) { return status.source; }
  static int tag_of(const Status& status) { return status.tag; }
  static Bytes bytes_of(const Status& status) { return status.bytes; }

  int probe(const Envelope& from, bool /*blocking*/, int* flag, Status& found) {
    const auto one = find(from);
    *flag = one != line.end();
    if (*flag) found = {one->source, one->tag, one->length};
    return 0;
  }
  int match(const Envelope& from, bool blocking, int* flag, int* message, Status& found) {
    if (from.rank == nobodys) return *flag = 1, *message = nobodys, 0;
    probe(from, blocking, flag, found);
    if (!*flag) return 0;
    const auto one = find(from);
    *message = ++last_;
    matched[*message] = *one;
    line.erase(one);
    return 0;
  }
  int receive(std::byte* to, int length, int* message) {
    if (refuses) return refused;
    const Sent one = matched[*message];
    EXPECT_EQ(one.length, length);
    *to = static_cast<std::byte>(one.descriptor);
    matched.erase(std::exchange(*message, 0));
    return 0;
  }
  static int no_memory(int /*comm*/) { return out_of_memory; }
  static void set_bytes(Status& status, Bytes bytes) { status.bytes = bytes; }
  static void tell(Status& status, int source, int tag, Bytes bytes) { status = {source, tag, bytes}; }
  [[nodiscard]] std::optional<Lengths::ProbedLength> probed_length(const Status& found, int /*comm*/) const {
    if (!Lengths::possible(found.bytes)) return {};
    return Lengths::ProbedLength{means, means == Kind::rendezvous ? announced_bytes : found.bytes};
  }
  [[nodiscard]] bool from_another_node(const Status& found, int /*comm*/) const { return found.source == far; }
  static std::optional<Bytes> announced(const std::byte* arrived, Bytes /*length*/) {
    return *arrived == std::byte{1} ? std::optional(announced_bytes) : std::nullopt;
  }
  int send_to_self(const std::byte* bytes, int length, int* request) {
    if (refuses) return refused;
    own = {0, 0, 0, length, *bytes == std::byte{1}};
    *request = ++last_;
    return 0;
  }
  int match_own(int* message) {
    matched[*message = ++last_] = own;
    return 0;
  }
  bool is_sent(int& request) {
    tested += request != 0;
    request = 0;
    return true;
  }
  void let_go(int& request) { let += request != 0; }
  void close() { closed = true; }

  std::deque<Sent> line;
  std::map<int, Sent> matched;
  Sent own{};
  Kind means = Kind::plain;  ///< The meaning of messages as long as a descriptor.
  int far = -1;              ///< A rank of another node.
  bool refuses = false, closed = false;
  int tested = 0, let = 0;

 private:
  std::deque<Sent>::iterator find(const Envelope& from) {
    return std::ranges::find_if(line, [&](const Sent& one) {
      return one.comm == from.comm && (from.rank == any_source || one.source == from.rank) &&
             (from.tag == any_tag || one.tag == from.tag);
    });
  }
  int last_ = 0;
};

class Queue final : public ProbeQueue<Memory> {
 public:
  Memory& memory() { return library_; }
};

class Probing : public testing::Test {
 protected:
  /// Held messages are counted for the whole process, so nothing may be left for the next test.
  ~Probing() override {
    for (const int comm : {1, 2})
      while (take(Memory::any_source, Memory::any_tag, comm)) receive();
  }
  bool probe(int source, int tag, int comm = 1) {
    int flag = 0;
    EXPECT_EQ(queue.probe({source, tag, comm}, false, &flag, status), 0);
    return flag != 0;
  }
  bool match(int source, int tag, int comm = 1) {
    int flag = 0;
    EXPECT_EQ(queue.match({source, tag, comm}, false, &flag, &message, status), 0);
    return flag != 0;
  }
  bool take(int source, int tag, int comm = 1) {
    const std::optional<int> taken = queue.take(source, tag, Memory::Hold(comm), &message);
    EXPECT_TRUE(!taken || *taken == 0);
    return taken.has_value();
  }
  std::optional<Origin<Memory::Hold>> receive() {
    const auto origin = queue.origin(message);
    there.matched.erase(message);
    return origin;
  }
  void expect_status(int source, int tag, Bytes bytes) {
    EXPECT_EQ(status.source, source);
    EXPECT_EQ(status.tag, tag);
    EXPECT_EQ(status.bytes, bytes);
  }

  Queue queue;
  Memory& there = queue.memory();
  Memory::Status status;
  int message = 0;
};

TEST_F(Probing, TakesNothingWhereALengthIsClear) {
  there.line = {{3, 7, 1, 1000}, {3, 8, 1, short_one}};
  EXPECT_TRUE(probe(3, 7));
  expect_status(3, 7, 1000);
  EXPECT_TRUE(probe(3, 8));
  expect_status(3, 8, short_one);
  there.means = Kind::rendezvous;
  EXPECT_TRUE(probe(3, 8));
  expect_status(3, 8, announced_bytes);
  EXPECT_FALSE(probe(4, 7));
  EXPECT_FALSE(Queue::any());
  EXPECT_EQ(there.line.size(), 2U);
}

TEST_F(Probing, ReceivesWhatMayBeADescriptorAndTellsWhatItAnnounces) {
  there.means = Kind::unclear;
  there.line = {{3, 7, 1, short_one, true}, {4, 7, 1, short_one}};
  EXPECT_TRUE(probe(3, 7));
  expect_status(3, 7, announced_bytes);
  EXPECT_TRUE(Queue::any());
  EXPECT_TRUE(probe(Memory::any_source, 7)) << "held, and so found again";
  expect_status(3, 7, announced_bytes);
  EXPECT_TRUE(probe(4, Memory::any_tag));
  expect_status(4, 7, short_one);
  EXPECT_TRUE(there.line.empty());
}

TEST_F(Probing, LetsNothingOvertakeWhatTheSameRankHasSentBefore) {
  there.means = Kind::unclear;
  there.line = {{3, 6, 1, 5000}, {3, 6, 1, short_one}, {4, 7, 1, short_one}, {3, 7, 1, short_one, true}};
  EXPECT_TRUE(probe(3, 7));
  EXPECT_EQ(there.line.size(), 1U) << "of another rank";
  ASSERT_TRUE(take(3, Memory::any_tag));
  EXPECT_EQ(there.matched[message].length, 5000) << "as it came";
  EXPECT_EQ(receive()->bytes, 5000);
  ASSERT_TRUE(take(3, Memory::any_tag));
  EXPECT_EQ(receive()->tag, 6);
  ASSERT_TRUE(take(3, Memory::any_tag));
  EXPECT_EQ(receive()->tag, 7);
}

TEST_F(Probing, GivesAReceiveWhatIsHeldForIt) {
  there.means = Kind::unclear;
  there.line = {{3, 7, 1, short_one, true}};
  EXPECT_TRUE(probe(3, 7));
  EXPECT_FALSE(take(3, 8));
  EXPECT_FALSE(take(2, 7));
  EXPECT_FALSE(take(3, 7, 2)) << "on another communicator";
  ASSERT_TRUE(take(3, 7));
  EXPECT_TRUE(there.matched[message].descriptor) << "sent to ourselves, byte by byte";
  const auto origin = receive();
  ASSERT_TRUE(origin);
  EXPECT_EQ(origin->comm.of, 1);
  EXPECT_EQ(origin->source, 3);
  EXPECT_EQ(origin->bytes, announced_bytes);
  EXPECT_FALSE(queue.origin(message)) << "it is the library's by now";
  EXPECT_FALSE(Queue::any());
}

TEST_F(Probing, ForgetsWhatWasSentToOurselvesAtTheNext) {
  there.means = Kind::unclear;
  there.line = {{3, 7, 1, short_one}, {3, 7, 1, short_one}};
  EXPECT_TRUE(match(3, 7));
  EXPECT_TRUE(receive());
  EXPECT_EQ(there.tested, 0);
  EXPECT_TRUE(match(3, 7));
  EXPECT_EQ(there.tested, 1);
  EXPECT_TRUE(receive());
}

TEST_F(Probing, MatchesWhatTheLibraryMatchesAndKnowsItAgain) {
  there.line = {{3, 7, 1, short_one}, {3, 7, 1, 1000}, {4, 7, 1, 2000}};
  there.means = Kind::rendezvous;
  EXPECT_TRUE(match(3, 7));
  expect_status(3, 7, announced_bytes);
  EXPECT_EQ(receive()->bytes, announced_bytes);
  EXPECT_TRUE(match(3, 7));
  EXPECT_FALSE(receive()) << "no descriptor is as long";
  there.far = 4;
  EXPECT_TRUE(match(4, 7));
  EXPECT_EQ(receive()->source, 4) << "errors of its receive need a communicator";
  EXPECT_FALSE(match(4, 7));
  EXPECT_TRUE(match(Memory::nobodys, 7));
  EXPECT_FALSE(receive());
}

TEST_F(Probing, MatchesWhatIsHeld) {
  there.means = Kind::unclear;
  there.line = {{3, 7, 1, short_one, true}};
  EXPECT_TRUE(probe(3, 7));
  EXPECT_TRUE(match(3, 7));
  expect_status(3, 7, announced_bytes);
  EXPECT_EQ(receive()->bytes, announced_bytes);
}

TEST_F(Probing, LosesNothingByErrorsOfTheLibrary) {
  there.means = Kind::unclear;
  there.line = {{3, 7, 1, short_one, true}};
  EXPECT_TRUE(probe(3, 7));
  there.refuses = true;
  EXPECT_EQ(queue.take(3, 7, Memory::Hold(1), &message), refused);
  there.refuses = false;
  EXPECT_TRUE(take(3, 7));
  EXPECT_EQ(receive()->bytes, announced_bytes);

  there.line = {{3, 8, 1, short_one}};
  there.refuses = true;
  int flag = 0;
  EXPECT_EQ(queue.probe({3, 8, 1}, false, &flag, status), refused);
  there.refuses = false;
  EXPECT_FALSE(Queue::any());
}

TEST_F(Probing, LetsGoAtTheEndWhatWasNeverReceived) {
  there.means = Kind::unclear;
  there.line = {{3, 7, 1, short_one}};
  EXPECT_TRUE(match(3, 7));
  queue.close();
  EXPECT_EQ(there.let, 1);
  EXPECT_TRUE(there.closed);
  EXPECT_EQ(receive()->comm.of, 0) << "the communicator may be gone";
}

}  // namespace
}  // namespace heddle::engine::probe_queue_test
