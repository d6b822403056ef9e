// A message from its descriptor to its end, in a node of one rank that sends to itself. These are
// the two ends of docs/protocol.md, without the MPI between them.
#include "engine/node/rendezvous.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <utility>
#include <vector>

#include "engine/node/arrival.hpp"
#include "engine/p2p/staging.hpp"
#include "layout/layout.hpp"

namespace heddle::engine::test::rendezvous_test {
namespace {

using layout::basic;
using layout::Layout;
using Outcome = Arrival::Outcome;

constexpr Nonce nonce{0x1234567890abcdef, 0xfedcba0987654321};
constexpr select::Link instant{.latency = 0, .message = 0, .byte = 0};

Layout columns() { return layout::vector(4096, 1, 4, basic(8)); }

class RendezvousTest : public testing::Test {
 protected:
  static std::unique_ptr<transport::JoinedNode> alone() {
    constexpr Bytes size = Bytes{16} << 20;
    return std::make_unique<transport::JoinedNode>(
        0, 1, [](const void*, std::size_t, void*) { return false; }, transport::NodeOptions{.memory = size, .shared = 0});
  }

  RendezvousTest() {
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = static_cast<double>(i);
  }

  [[nodiscard]] Rendezvous::Elements elements(Count count = 1, int tag = 7) {
    return {.type = &type, .count = count, .address = sent.data(), .peer = 0, .tag = tag};
  }
  /// The descriptor as the host brings it.
  std::vector<std::byte> delivered(const Rendezvous& message) {
    std::vector<std::byte> bytes(static_cast<std::size_t>(message.length()));
    std::memcpy(bytes.data(), message.descriptor(), bytes.size());
    return bytes;
  }
  Arrival fetch_into(std::vector<std::byte>& bytes, Count count = 1) {
    const auto length = static_cast<Bytes>(bytes.size());
    return fetch(node, bytes.data(), length, {.peer = 0, .tag = 7, .bytes = length}, {&type.layout(), count, received.data()});
  }
  [[nodiscard]] bool all_is_there() const {
    for (std::size_t i = 0; i < sent.size(); ++i)
      if (received[i] != (i % 4 == 0 ? sent[i] : -1)) return false;
    return true;
  }

  Node node{alone(), nonce, {.threshold = 128}};
  const Datatype type{columns()};
  std::vector<double> sent = std::vector<double>(4 * 4096);
  std::vector<double> received = std::vector<double>(4 * 4096, -1);
};

TEST_F(RendezvousTest, ADescriptorBecomesItsMessage) {
  Rendezvous message(node, elements(), Ends::in_call, Probes::none, {.host = instant});
  ASSERT_TRUE(message);
  EXPECT_EQ(message.peer(), 0);
  std::vector<std::byte> bytes = delivered(message);
  EXPECT_TRUE(message.settle());
  std::fill(sent.begin(), sent.end(), 0);  // the program may use its buffer again
  for (std::size_t i = 0; i < sent.size(); i += 4) sent[i] = static_cast<double>(i);
  const Arrival arrival = fetch_into(bytes);
  EXPECT_EQ(arrival.outcome, Outcome::whole);
  EXPECT_EQ(arrival.moved, type.size());
  EXPECT_TRUE(all_is_there());
  EXPECT_EQ(fetch_into(bytes).outcome, Outcome::as_it_is) << "it is not to be found there again";
}

TEST_F(RendezvousTest, ADescriptorTellsTheSizeOfItsMessage) {
  Rendezvous message(node, elements(), Ends::in_call, Probes::possible, {.host = instant});
  ASSERT_TRUE(message);
  std::vector<std::byte> bytes = delivered(message);
  EXPECT_EQ(node.announced(bytes.data(), message.length()), type.size());
  EXPECT_FALSE(node.announced(bytes.data(), sizeof(Descriptor))) << "it was longer";
  bytes[offsetof(Descriptor, total)] ^= std::byte{1};
  EXPECT_FALSE(node.announced(bytes.data(), message.length())) << "damaged";
}

TEST_F(RendezvousTest, ItsNameLeadsToItsControlBlock) {
  Rendezvous message(node, elements(), Ends::in_call, Probes::none, {.host = instant});
  ASSERT_TRUE(message);
  EXPECT_EQ(node.control_of(message.named()), message.control());
  EXPECT_EQ(node.control_of({.sender = 1, .control = message.named().control, .generation = 0}), nullptr) << "no such rank";
  EXPECT_EQ(node.control_of({.sender = 0, .control = std::uint64_t{1} << 40, .generation = 0}), nullptr) << "outside";
}

TEST_F(RendezvousTest, LengthsTellProbesTheSize) {
  Rendezvous probed(node, elements(), Ends::in_call, Probes::possible, {.host = instant});
  ASSERT_TRUE(probed);
  EXPECT_TRUE(Lengths::coded(probed.length()));
  const Lengths::ProbedLength seen = node.lengths(0).probed_length(probed.length(), 7);
  EXPECT_EQ(seen.kind, Lengths::Kind::rendezvous);
  EXPECT_EQ(seen.total, type.size());
}

TEST_F(RendezvousTest, TheUsersSchemeIsTaken) {
  for (const Scheme scheme : {Scheme::bc_spup, Scheme::p_rrs}) {
    Rendezvous message(node, elements(), Ends::in_call, Probes::none, {.scheme = scheme, .segment = 4096, .host = instant});
    ASSERT_TRUE(message);
    Descriptor descriptor;
    std::memcpy(static_cast<void*>(&descriptor), message.descriptor(), sizeof descriptor);
    EXPECT_EQ(descriptor.scheme, scheme);
    EXPECT_EQ(descriptor.segment, 4096);
  }
}

TEST_F(RendezvousTest, WhatIsNoneGoesPackedForAReason) {
  EXPECT_EQ(Staging::why_packed(&node, 100), "100 bytes are fewer than HEDDLE_RENDEZVOUS (128)");
  EXPECT_NE(Staging::why_packed(&node, 1000).find("no room"), std::string::npos);
  EXPECT_FALSE(may_meet(node, Datatype(layout::vector(2, 1, 4, basic(8))), 1)) << "short";
  EXPECT_FALSE(may_meet(node, Datatype(layout::contiguous(4096, basic(8))), 1)) << "without holes";
  EXPECT_TRUE(may_meet(node, type, 1));
  EXPECT_FALSE(may_meet(node, type, 0));
}

TEST_F(RendezvousTest, AMessageToItselfWaitsForItsReceive) {
  for (const Ends ends : {Ends::with_request, Ends::in_collective, Ends::beside_receive}) {
    std::fill(received.begin(), received.end(), -1);
    Rendezvous message(node, elements(), ends, Probes::none, {.host = instant});
    ASSERT_TRUE(message);
    EXPECT_TRUE(message.open());
    std::vector<std::byte> bytes = delivered(message);
    EXPECT_EQ(fetch_into(bytes).outcome, Outcome::whole) << "straight from the buffer: nothing was packed";
    EXPECT_TRUE(all_is_there());
    EXPECT_TRUE(message.settle());
  }
}

TEST_F(RendezvousTest, AMessageToItselfIsPackedIfItsSendEndsFirst) {
  Rendezvous message(node, elements(), Ends::with_request, Probes::none, {.host = instant});
  std::vector<std::byte> bytes = delivered(message);
  EXPECT_TRUE(message.settle());
  const std::vector<double> before = std::exchange(sent, std::vector<double>(sent.size()));
  EXPECT_EQ(fetch_into(bytes).outcome, Outcome::whole);
  sent = before;
  EXPECT_TRUE(all_is_there());
}

TEST_F(RendezvousTest, AForgedMessageToItselfReadsNothing) {
  Rendezvous message(node, elements(), Ends::with_request, Probes::none, {.host = instant});
  std::vector<std::byte> bytes = delivered(message);
  Descriptor descriptor;
  std::memcpy(static_cast<void*>(&descriptor), bytes.data(), sizeof descriptor);
  descriptor.address = 8;  // no such memory
  seal(descriptor);
  std::memcpy(bytes.data(), &descriptor, sizeof descriptor);
  EXPECT_EQ(fetch_into(bytes).outcome, Outcome::whole) << "its own notes tell where the buffer is";
  EXPECT_TRUE(all_is_there());
  EXPECT_TRUE(message.settle());
}

TEST_F(RendezvousTest, NothingIsLeftOpenToARankThatCannotReadUs) {
  Rendezvous message(node, elements(), Ends::with_request, Probes::none, {.scheme = Scheme::multi_w, .host = instant});
  ASSERT_TRUE(message);
  EXPECT_FALSE(message.open());
}

TEST_F(RendezvousTest, WhatHasNoHolesIsLeftToAHostThatIsFaster) {
  const Datatype piece(layout::contiguous(1 << 14, basic(8)));
  const Rendezvous::Elements elements{.type = &piece, .count = 1, .address = sent.data(), .peer = 0, .tag = 0};
  EXPECT_FALSE(Rendezvous(node, elements, Ends::in_call, Probes::none, {.host = instant}));
}

TEST_F(RendezvousTest, WithdrawnMessagesGiveTheirMemoryBack) {
  for (int i = 0; i < 10000; ++i) {
    Rendezvous message(node, elements(), Ends::in_call, Probes::none, {.host = instant});
    ASSERT_TRUE(message) << i;
  }
  EXPECT_EQ(node.rendezvous_sender().under_way(), 0U);
}

TEST_F(RendezvousTest, AShorterTargetIsATruncation) {
  const Datatype half(layout::vector(2048, 1, 4, basic(8)));
  Rendezvous message(node, elements(), Ends::in_call, Probes::none, {.host = instant});
  ASSERT_TRUE(message);
  std::vector<std::byte> bytes = delivered(message);
  message.settle();
  const auto length = static_cast<Bytes>(bytes.size());
  const Arrival arrival =
      fetch(node, bytes.data(), length, {.peer = 0, .tag = 7, .bytes = length}, {&half.layout(), 1, received.data()});
  EXPECT_EQ(arrival.outcome, Outcome::truncated);
  EXPECT_EQ(arrival.moved, half.size());
  EXPECT_EQ(received[4 * 2047], sent[4 * 2047]);
  EXPECT_EQ(received[4 * 2048], -1);
}

TEST_F(RendezvousTest, AReceiveTooShortForTheLastOfADescriptorTakesWhatFits) {
  const Datatype some(layout::vector(16, 1, 4, basic(8)));
  Rendezvous message(node, elements(), Ends::in_call, Probes::possible, {.host = instant});
  ASSERT_TRUE(message);
  std::vector<std::byte> bytes = delivered(message);
  message.settle();
  const Arrival arrival = fetch_truncated(node, bytes.data(), sizeof(Descriptor), {&some.layout(), 1, received.data()});
  EXPECT_EQ(arrival.outcome, Outcome::truncated);
  EXPECT_EQ(arrival.moved, some.size());
}

TEST_F(RendezvousTest, AReceiveTooShortForADescriptorDrainsItsMessage) {
  auto message =
      std::make_unique<Rendezvous>(node, elements(), Ends::in_call, Probes::none, Rendezvous::Wanted{.host = instant});
  ASSERT_TRUE(*message);
  std::vector<std::byte> bytes = delivered(*message);
  message->settle();
  EXPECT_EQ(fetch_truncated(node, bytes.data(), 64, {&type.layout(), 1, received.data()}).outcome, Outcome::as_it_is);
  message.reset();
  node.rendezvous_sender().sweep();
  EXPECT_EQ(node.rendezvous_sender().under_way(), 0U);
  EXPECT_EQ(received[0], -1);
}

TEST_F(RendezvousTest, OtherBytesAreLeftAlone) {
  std::vector<std::byte> bytes(256, std::byte{0x5a});
  EXPECT_EQ(fetch_into(bytes).outcome, Outcome::as_it_is);
  EXPECT_EQ(bytes, std::vector<std::byte>(256, std::byte{0x5a}));
  Rendezvous message(node, elements(), Ends::in_call, Probes::none, {.host = instant});
  bytes = delivered(message);
  const Target target{&type.layout(), 1, received.data()};
  EXPECT_EQ(fetch(node, bytes.data(), 128, {.peer = 0, .tag = 7, .bytes = 0}, target).outcome, Outcome::as_it_is)
      << "an empty message over an old descriptor";
}

TEST_F(RendezvousTest, ADamagedDescriptorFailsWithASentence) {
  Rendezvous message(node, elements(), Ends::in_call, Probes::none, {.host = instant});
  ASSERT_TRUE(message);
  std::vector<std::byte> bytes = delivered(message);
  bytes[offsetof(Descriptor, total)] ^= std::byte{1};
  const Arrival arrival = fetch_into(bytes);
  EXPECT_EQ(arrival.outcome, Outcome::failed);
  EXPECT_NE(std::string(arrival.why).find("damaged"), std::string::npos);
}

}  // namespace
}  // namespace heddle::engine::test::rendezvous_test
