// Descriptors that are overwritten in the buffer in which they arrive. The status leads to their
// messages. One receive gets each message, and other messages stay untouched. The node has one
// rank, which sends to itself.
#include "engine/node/lost.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <thread>

#include "engine/node/rendezvous.hpp"
#include "layout/layout.hpp"

namespace heddle::engine::test::lost_test {
namespace {

using Outcome = Arrival::Outcome;

constexpr Nonce nonce{0x1234567890abcdef, 0xfedcba0987654321};
constexpr int tag = 7;

/// Descriptors in the buffers of other receives.
std::vector<Descriptor> elsewhere;
void find_elsewhere(Node& /*node*/, Standing& found) {
  for (const Descriptor& each : elsewhere) found.emplace_back(each.sender, each.generation);
}

class LostTest : public testing::Test {
 protected:
  static std::unique_ptr<transport::JoinedNode> alone() {
    constexpr Bytes size = Bytes{16} << 20;
    return std::make_unique<transport::JoinedNode>(
        0, 1, [](const void*, std::size_t, void*) { return false; }, transport::NodeOptions{.memory = size, .shared = 0});
  }
  LostTest() { elsewhere.clear(); }

  /// Message `number`: all its elements have the value `number`.
  Rendezvous& send(double number, Probes probes = Probes::possible, int with = tag, std::uint64_t comm = 1) {
    std::vector<double>& out = data_.emplace_back(4 * 1024, number);
    const Rendezvous::Elements elements{.type = &type, .count = 1, .address = out.data(), .peer = 0, .tag = with, .comm = comm};
    Rendezvous& message = sent_.emplace_back(node, elements, Ends::in_call, probes, Rendezvous::Wanted{.host = instant});
    if (message) message.settle();
    return message;
  }
  static Descriptor descriptor_of(const Rendezvous& message) {
    Descriptor descriptor;
    std::memcpy(static_cast<void*>(&descriptor), message.descriptor(), sizeof descriptor);
    return descriptor;
  }
  /// A receive that has brought `length` bytes, and has `there` in its buffer. Returns the number
  /// of its message. 0: none.
  double receive(Bytes length, const void* there = nullptr, bool own = false, int with = tag) {
    std::vector<std::byte> buffer(Lengths::longest, std::byte{0x5a});
    if (there) std::memcpy(buffer.data(), there, sizeof(Descriptor));
    std::vector<double> in(4 * 1024, 0);
    const Receipt receipt{
        .peer = 0, .tag = with, .bytes = length, .own = own, .expected = own ? type.size() : 0, .standing = find_elsewhere};
    const Arrival arrival = fetch(node, buffer.data(), Lengths::longest, receipt, {&type.layout(), 1, in.data()});
    EXPECT_NE(arrival.outcome, Outcome::failed);
    return in[0];
  }

  static constexpr select::Link instant{.latency = 0, .message = 0, .byte = 0};
  Node node{alone(), nonce, {.threshold = 128}};
  const Datatype type{layout::vector(1024, 1, 4, layout::basic(8))};

 private:
  std::deque<std::vector<double>> data_;
  std::deque<Rendezvous> sent_;
};

TEST_F(LostTest, MessagesAreFoundByTheirStatusTheOldestFirst) {
  const Bytes length = send(1).length();
  ASSERT_EQ(send(2).length(), length);
  EXPECT_FALSE(node.lengths(0).overlaps());
  EXPECT_EQ(receive(length), 1);
  EXPECT_TRUE(node.lengths(0).overlaps());
  EXPECT_TRUE(node.unclaimed().uncertain());
  EXPECT_EQ(receive(length), 2);
  EXPECT_EQ(receive(length), 0) << "there is no third one";
  EXPECT_FALSE(send(3)) << "to who has lost one nothing is announced";
}

TEST_F(LostTest, MessagesOfDescriptorsThatStandElsewhereAreTheirs) {
  Rendezvous& first = send(1);
  const Bytes length = first.length();
  send(2);
  elsewhere.push_back(descriptor_of(first));
  EXPECT_EQ(receive(length), 2);
  EXPECT_EQ(receive(length, first.descriptor()), 1);
}

TEST_F(LostTest, OneDescriptorIsOneMessage) {
  Rendezvous& first = send(1);
  Rendezvous& second = send(2);
  const Bytes length = first.length();
  EXPECT_EQ(receive(length, second.descriptor()), 2);
  EXPECT_EQ(receive(length, second.descriptor()), 1) << "both receives are of one buffer";
}

TEST_F(LostTest, OtherTagsAndCommunicatorsAreNotTouched) {
  const Bytes length = send(1, Probes::possible, tag + 1).length();
  EXPECT_EQ(receive(length), 0);
  const Bytes here = send(2).length(), there = send(3, Probes::possible, tag, 2).length();
  EXPECT_NE(here, there);
  EXPECT_EQ(receive(there), 3);
  EXPECT_EQ(receive(here), 2);
  EXPECT_EQ(receive(length, nullptr, false, tag + 1), 1);
}

TEST_F(LostTest, WhatTheProgramSendsInThatLengthIsNone) {
  const Bytes length = send(1).length();
  node.rendezvous_sender().sends_plainly(length, tag);
  EXPECT_EQ(receive(length), 0) << "it may be either";
  EXPECT_FALSE(node.lengths(0).overlaps());
  EXPECT_EQ(receive(sizeof(Descriptor)), 0) << "no descriptor of the program's has this length";
}

TEST_F(LostTest, CollectivesHaveTheirOwn) {
  ASSERT_EQ(send(1, Probes::none).length(), Bytes{sizeof(Descriptor)});
  const Bytes length = send(2).length();
  EXPECT_EQ(receive(sizeof(Descriptor)), 0);
  EXPECT_EQ(receive(sizeof(Descriptor), nullptr, true), 1);
  EXPECT_EQ(receive(length), 2);
}

TEST(Claims, AreOneThreads) {
  for (int round = 0; round < 20; ++round) {
    Claims claims;
    Control control;
    control.generation = 3;
    std::atomic<int> taken{0};
    std::atomic<bool> go{false};
    const auto take = [&] {
      while (!go) continue;
      const Claims::Claim claim(claims, 0, 3, control);
      if (!claim) return;
      ++taken;
      control.cells[0].state = State::done;
    };
    std::thread one(take), two(take);
    go = true;
    one.join();
    two.join();
    EXPECT_EQ(taken, 1);
  }
}

}  // namespace
}  // namespace heddle::engine::test::lost_test
