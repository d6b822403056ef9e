// A suspicion names one message. It counts only until its receiver has touched the message.
#include "engine/node/unclaimed.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <new>
#include <vector>

namespace heddle::engine::unclaimed_test {
namespace {

constexpr Bytes size = 1 << 20;

/// Node memory of one process.
struct Memory {
  std::vector<std::uint64_t> words = std::vector<std::uint64_t>(size / sizeof(std::uint64_t) + 8);  // zeroed, as node memory is
  std::byte* base() {
    void* at = words.data();
    std::size_t room = words.size() * sizeof words[0];
    return static_cast<std::byte*>(std::align(64, size, at, room));
  }
};

/// A control block of one message.
struct Sender : Memory {
  static constexpr std::uint64_t at = 8192;
  Control& control = *::new (base() + at) Control;
  Sender() {
    control.segments = 3;
    control.generation = 40'000;
    for (Count i = 0; i < control.segments; ++i) control.cells[i].state = State::open;
  }
  [[nodiscard]] static Unclaimed::Suspect message() { return {.sender = 5, .control = at, .generation = 40'000}; }
};

TEST(Unclaimed, OneSuspicionAtATime) {
  Memory receiver;
  Unclaimed word(receiver.base());
  EXPECT_FALSE(word.any());
  EXPECT_FALSE(word.suspect());
  ASSERT_TRUE(word.suspect(Sender::message()));
  EXPECT_TRUE(word.suspect(Sender::message()));
  EXPECT_FALSE(word.suspect({.sender = 6, .control = 4096, .generation = 1}));
  ASSERT_TRUE(word.suspect());
  EXPECT_EQ(word.suspect()->sender, 5U);
  EXPECT_EQ(word.suspect()->control, 8192U);
  word.clear({.sender = 6, .control = 4096, .generation = 1});
  EXPECT_TRUE(word.any());
  word.clear(*word.suspect());
  EXPECT_FALSE(word.any());
}

TEST(Unclaimed, WhatTheWordHasNoRoomForIsNotSuspected) {
  Memory receiver;
  Unclaimed word(receiver.base());
  EXPECT_FALSE(word.suspect({.sender = 70'000, .control = 4096, .generation = 1}));
  EXPECT_FALSE(word.suspect({.sender = 1, .control = std::uint64_t{1} << 41, .generation = 1}));
  EXPECT_TRUE(word.suspect({.sender = 65'534, .control = (std::uint64_t{1} << 40) - 64, .generation = ~std::uint64_t{0}}));
  EXPECT_EQ(word.suspect()->sender, 65'534U);
  EXPECT_EQ(word.suspect()->control, (std::uint64_t{1} << 40) - 64);
}

TEST(Unclaimed, AMessageIsClaimedOnceItsReceiverHasTouchedIt) {
  Sender sender;
  const Unclaimed::Suspect message = Sender::message();
  const Control* found = control_at(message.control, sender.base(), size);
  ASSERT_EQ(found, &sender.control);
  EXPECT_FALSE(claimed(*found, message.generation));
  for (const State by_sender : {State::packing, State::packed}) {
    sender.control.cells[1].state = by_sender;
    EXPECT_FALSE(claimed(*found, message.generation));
  }
  for (const State by_receiver : {State::taken, State::done}) {
    sender.control.cells[2].state = by_receiver;
    EXPECT_TRUE(claimed(*found, message.generation));
  }
  sender.control.cells[2].state = State::open;
  sender.control.generation = 40'001;
  EXPECT_TRUE(claimed(*found, message.generation)) << "the block is another message's";
}

TEST(Unclaimed, NoPlaceOutsideOfTheMemoryIsLookedAt) {
  Sender sender;
  for (const std::uint64_t control : {std::uint64_t{0}, std::uint64_t{size}, std::uint64_t{size - 64}, ~std::uint64_t{0}})
    EXPECT_EQ(control_at(control, sender.base(), size), nullptr) << control;
  sender.control.segments = 1 << 20;
  EXPECT_EQ(control_at(Sender::at, sender.base(), size), nullptr);
}

TEST(Unclaimed, UncertaintyStays) {
  Memory receiver;
  EXPECT_FALSE(Unclaimed(receiver.base()).uncertain());
  Unclaimed(receiver.base()).set_uncertain();
  EXPECT_TRUE(Unclaimed(receiver.base()).uncertain());
}

TEST(Unclaimed, TheSentenceNamesBothRanksAndTheTag) {
  const std::string said = received_past(3, 5, 42);
  EXPECT_EQ(said.find("rank 3 of MPI_COMM_WORLD has received a message of rank 5 with tag 42 past Heddle"), 0U) << said;
}

}  // namespace
}  // namespace heddle::engine::unclaimed_test
