// Heddle does not trust the bytes that a peer writes. It refuses descriptors and control blocks
// that no sender makes. They touch nothing outside of the sender's memory, and no rank hangs.
#include <gtest/gtest.h>
#include <unistd.h>

#include <functional>
#include <limits>
#include <thread>

#include "engine/node/rendezvous_receiver.hpp"
#include "engine/node/rendezvous_sender.hpp"
#include "mail.hpp"
#include "transport/cma/cma.hpp"

namespace heddle::engine::test::forged_test {
namespace {

constexpr Nonce nonce{0x1234567890abcdef, 0xfedcba0987654321};
constexpr Bytes memory_size = Bytes{4} << 20;
constexpr Count ints = 192 * 200;  // three slots
constexpr std::uint32_t number = 7;

std::int64_t no_time() { return 0; }

struct Shares {
  ScratchPool scratch_pool;
  Distances distances{1, no_time};
};

/// A message of rows that has been sent and packed, and its receiver.
struct Sent {
  Memory memory{memory_size};
  Arena arena{memory.base(), memory_size};
  Shares shares;
  RendezvousSender rendezvous_sender{arena, nonce, 0, no_time, true, {&shares.scratch_pool, shares.distances}};
  Typed type = typed(1, ints);
  Field field{type};
  Descriptor descriptor;
  Outgoing* outgoing = nullptr;
  Typed wanted = typed(2, ints);
  Field arrived{wanted};

  Sent() {
    field.put(message(number, 4 * ints));
    outgoing = rendezvous_sender.begin({&type.layout, type.count, field.base()}, {.segment = 16 << 10}, descriptor);
    rendezvous_sender.settle(*outgoing);
    rendezvous_sender.leave(outgoing);
  }
  Cell& cell(Count i) { return reinterpret_cast<Control*>(memory.base() + descriptor.control)->cells[i]; }
  Bytes receive() {
    const Reach reach{.memory = memory.base(), .memory_size = memory_size, .crowded = true};
    return engine::receive(descriptor, reach, {&wanted.layout, wanted.count, arrived.base()});
  }
};

bool readable(const Descriptor& forged, std::uint32_t ranks = 2) {
  Descriptor descriptor;
  return read(&forged, nonce, ranks, memory_size, descriptor);
}

}  // namespace

TEST(Forged, TheDescriptorOfASenderIsNot) {
  Sent sent;
  EXPECT_TRUE(readable(sent.descriptor));
  EXPECT_EQ(sent.receive(), 4 * ints);
  EXPECT_TRUE(sent.arrived.holds(message(number, 4 * ints), 4 * ints));
}

TEST(Forged, EveryBitOfADescriptorIsGuarded) {
  const Sent sent;
  for (std::size_t bit = 0; bit < 8 * sizeof(Descriptor); ++bit) {
    Descriptor damaged = sent.descriptor;
    reinterpret_cast<unsigned char*>(&damaged)[bit / 8] ^= static_cast<unsigned char>(1U << bit % 8);
    EXPECT_FALSE(readable(damaged)) << "bit " << bit;
  }
}

TEST(Forged, SealedNumbersThatMakeNoSense) {
  const Sent sent;
  constexpr Bytes most = std::numeric_limits<Bytes>::max();
  constexpr std::uint64_t far = std::numeric_limits<std::uint64_t>::max();
  struct Case {
    const char* what;
    std::function<void(Descriptor&)> forge;
  };
  const Case cases[] = {
      {"a rank that the node does not have", [](Descriptor& d) { d.sender = 2; }},
      {"no bytes", [](Descriptor& d) { d.total = 0; }},
      {"negative bytes", [](Descriptor& d) { d.total = -5; }},
      {"the most bytes there are", [=](Descriptor& d) { d.total = most; }},
      {"more bytes than cells", [](Descriptor& d) { d.total = Arena::most_segments * d.segment + 1; }},
      {"no elements", [](Descriptor& d) { d.count = 0; }},
      {"no segment", [](Descriptor& d) { d.segment = 0; }},
      {"a negative segment", [](Descriptor& d) { d.segment = -d.segment; }},
      {"a segment that is no power of two", [](Descriptor& d) { d.segment += 64; }},
      {"a segment below a line", [](Descriptor& d) { d.segment = 32, d.total = 64; }},
      {"a segment larger than a slot", [](Descriptor& d) { d.segment = 2 * slot_bytes; }},
      {"the largest segment there is", [](Descriptor& d) { d.segment = Bytes{1} << 62; }},
      {"a total and a segment whose sum overflows", [=](Descriptor& d) { d.total = most, d.segment = Bytes{1} << 62; }},
      {"a scheme that is none", [](Descriptor& d) { d.scheme = static_cast<Scheme>(6); }},
      {"neither true nor false", [](Descriptor& d) { reinterpret_cast<unsigned char*>(&d)[21] = 2; }},
      {"a control block off its lines", [](Descriptor& d) { d.control += 8; }},
      {"a control block among the wishes", [](Descriptor& d) { d.control = 64; }},
      {"a control block beyond the memory", [](Descriptor& d) { d.control = memory_size; }},
      {"a control block that ends beyond the memory", [](Descriptor& d) { d.control = memory_size - 64; }},
      {"a control block at the end of the numbers", [=](Descriptor& d) { d.control = far - 63; }},
      {"a layout beyond the memory", [](Descriptor& d) { d.wire = memory_size + 1; }},
      {"a layout that ends beyond the memory", [](Descriptor& d) { d.wire = memory_size - 8, d.wire_bytes = 9; }},
      {"a layout at the end of the numbers", [=](Descriptor& d) { d.wire = far - 3, d.wire_bytes = 8; }},
  };
  for (const Case& each : cases) {
    Descriptor forged = sent.descriptor;
    each.forge(forged);
    seal(forged);
    EXPECT_FALSE(readable(forged)) << each.what;
  }
  Descriptor untouched = sent.descriptor;
  seal(untouched);
  EXPECT_TRUE(readable(untouched));
}

TEST(Forged, AMessageMayHaveTheLargestControlBlock) {
  const Sent sent;
  Descriptor large = sent.descriptor;
  large.total = Arena::most_segments * large.segment;
  large.control = Arena::head;
  seal(large);
  EXPECT_TRUE(readable(large));
}

/// The receiver drains the rest, so the sender has its memory back.
TEST(Forged, APlaceOutsideOfTheMemory) {
  constexpr auto lines = static_cast<std::uint32_t>(memory_size / line_bytes);
  for (const std::uint32_t place : {lines, lines - 1, std::numeric_limits<std::uint32_t>::max()}) {
    Sent sent;
    const std::uint32_t true_place = sent.cell(2).place;
    sent.cell(2).place = place;
    EXPECT_EQ(sent.receive(), damaged);
    sent.cell(2).place = true_place;  // the sender looks where its slot is
    sent.rendezvous_sender.sweep();
    EXPECT_EQ(sent.rendezvous_sender.under_way(), 0U);
    EXPECT_EQ(sent.arena.reserved(), 0);
  }
}

TEST(Forged, AStateThatACellCannotBeIn) {
  for (const State state : {State::done, State::taken, static_cast<State>(5), static_cast<State>(0xffffffff)}) {
    for (const Count which : {0, 4, 9}) {
      Sent sent;
      sent.cell(which).state = state;
      EXPECT_EQ(sent.receive(), damaged);
      EXPECT_EQ(sent.cell(which).state, state);
      for (Count i = 0; i < sent.descriptor.segments(); ++i) {
        if (i != which) {
          EXPECT_EQ(sent.cell(i).state, State::done);
        }
      }
    }
  }
}

/// The elements are not the message's. The receiver reads nothing by them and gives the cells back,
/// and the sender packs them.
TEST(Forged, ElementsThatDoNotMakeTheMessage) {
  for (const Count count : {Count{2}, std::numeric_limits<Count>::max(), Count{1} << 61}) {
    Memory memory(memory_size);
    Arena arena(memory.base(), memory_size);
    Shares shares;
    RendezvousSender rendezvous_sender(arena, nonce, 0, no_time, true, {&shares.scratch_pool, shares.distances});
    const Typed type = typed(1, ints), wanted = typed(2, ints);
    Field field(type), arrived(wanted);
    field.put(message(number, 4 * ints));
    Descriptor descriptor;
    const Plan plan{.scheme = Scheme::multi_w,
                    .segment = 16 << 10,
                    .pullable = true,
                    .layout = rendezvous_sender.datatype_cache().list(type.layout)};
    Outgoing* outgoing = rendezvous_sender.begin({&type.layout, type.count, field.base()}, plan, descriptor);
    descriptor.count = count;
    PeerDatatypes known;
    transport::cma::Cma own(std::vector<pid_t>{getpid()});
    const Reach reach{.memory = memory.base(),
                      .memory_size = memory_size,
                      .copier = {&own, 0},
                      .known = &known,
                      .scratch_pool = &shares.scratch_pool,
                      .crowded = true};
    Bytes moved = 0;
    std::thread receiver([&] { moved = engine::receive(descriptor, reach, {&wanted.layout, wanted.count, arrived.base()}); });
    rendezvous_sender.settle(*outgoing);
    receiver.join();
    EXPECT_EQ(moved, 4 * ints);
    EXPECT_TRUE(arrived.holds(message(number, 4 * ints), 4 * ints));
    rendezvous_sender.leave(outgoing);
    rendezvous_sender.sweep();
    EXPECT_EQ(rendezvous_sender.under_way(), 0U);
  }
}

}  // namespace heddle::engine::test::forged_test
