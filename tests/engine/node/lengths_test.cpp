// The meaning of a message's length, and for which messages: a length stands for one size of one
// tag, not for a message of the program, and never for two things at once.
#include "engine/node/lengths.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::engine::lengths_test {
namespace {

using Kind = Lengths::Kind;
constexpr Bytes KiB = 1024;

struct Book {
  alignas(64) std::vector<std::byte> memory = std::vector<std::byte>(Arena::head);
  LengthBook book{memory.data()};
  Lengths lengths{memory.data()};

  [[nodiscard]] Lengths::ProbedLength probed_length(int code, int tag) const {
    return lengths.probed_length(Lengths::of(code), tag);
  }
};

}  // namespace

TEST(Lengths, TellOneSizeOfOneTag) {
  Book b;
  const int first = b.book.take(64 * KiB, 5, 1, Probed::perhaps);
  EXPECT_EQ(b.book.take(64 * KiB, 5, 1, Probed::yes), first);
  const int second = b.book.take(64 * KiB, 6, 1, Probed::perhaps), third = b.book.take(8 * KiB, 5, 1, Probed::perhaps);
  EXPECT_NE(second, first);
  EXPECT_NE(third, first);
  EXPECT_NE(third, second);
  EXPECT_EQ(b.probed_length(first, 5).kind, Kind::rendezvous);
  EXPECT_EQ(b.probed_length(first, 5).total, 64 * KiB);
  EXPECT_EQ(b.probed_length(third, 5).total, 8 * KiB);
  EXPECT_EQ(b.probed_length(first, 6).kind, Kind::plain);
  EXPECT_EQ(b.lengths.probed_length(128, 5).kind, Kind::plain);
  EXPECT_EQ(b.lengths.probed_length(161, 5).kind, Kind::plain);
}

TEST(Lengths, OfTheProgramAnnounceNothing) {
  Book b;
  b.book.sends_plainly(Lengths::of(0), 5);
  EXPECT_TRUE(b.book.settled(Lengths::of(0)));
  for (int i = 1; i < Lengths::codes; ++i) EXPECT_NE(b.book.take((8 + i) * KiB, 5, 1, Probed::yes), 0);
  EXPECT_EQ(b.book.take(99 * KiB, 5, 1, Probed::yes), LengthBook::refused);
  EXPECT_EQ(b.probed_length(0, 5).kind, Kind::plain);
  EXPECT_EQ(b.lengths.probed_length(Lengths::unsized, 5).kind, Kind::plain);
  const int code = b.book.take(99 * KiB, 5, 1, Probed::perhaps);
  EXPECT_EQ(code, LengthBook::unsized);
  EXPECT_EQ(b.lengths.probed_length(Lengths::unsized, 5).kind, Kind::unclear) << "a probe cannot know its size";
  EXPECT_EQ(b.lengths.received(Lengths::unsized, 5), Kind::rendezvous) << "but it was a descriptor";
  b.book.sends_plainly(Lengths::unsized, 5);
  EXPECT_TRUE(b.book.settled(Lengths::unsized));
  EXPECT_EQ(b.lengths.received(Lengths::unsized, 5), Kind::unclear);
  b.book.give(code);
  EXPECT_EQ(b.lengths.probed_length(Lengths::unsized, 5).kind, Kind::plain);
  EXPECT_EQ(b.book.take(99 * KiB, 5, 1, Probed::perhaps), LengthBook::refused);
}

/// A receiver that has lost a descriptor knows its length, but not its communicator.
TEST(Lengths, StandForOneCommunicatorAtATime) {
  Book b;
  const int code = b.book.take(64 * KiB, 5, 1, Probed::perhaps);
  const int other = b.book.take(64 * KiB, 5, 2, Probed::perhaps);
  EXPECT_NE(code, other);
  EXPECT_EQ(b.probed_length(code, 5).total, b.probed_length(other, 5).total);
  for (int i = 0; i < Lengths::codes - 2; ++i) EXPECT_GE(b.book.take((100 + i) * KiB, 5, 1, Probed::perhaps), 0);
  EXPECT_EQ(b.book.take(99 * KiB, 5, 1, Probed::perhaps), LengthBook::unsized);
  EXPECT_EQ(b.book.take(99 * KiB, 5, 2, Probed::perhaps), LengthBook::refused);
  b.book.give(code);
  EXPECT_EQ(b.book.take(64 * KiB, 5, 2, Probed::perhaps), code) << "of the next one, when nothing is under way";
}

TEST(Lengths, AreUnclearOnlyWhileBothAreUnderWay) {
  Book b;
  const int code = b.book.take(64 * KiB, 5, 1, Probed::perhaps);
  b.book.sends_plainly(Lengths::of(code), 6);
  EXPECT_FALSE(b.book.settled(Lengths::of(code)));
  EXPECT_EQ(b.probed_length(code, 5).kind, Kind::rendezvous);
  EXPECT_EQ(b.probed_length(code, 6).kind, Kind::plain);
  b.book.sends_plainly(Lengths::of(code), 5);
  EXPECT_TRUE(b.book.settled(Lengths::of(code)));
  EXPECT_EQ(b.probed_length(code, 5).kind, Kind::unclear);
  EXPECT_NE(b.book.take(64 * KiB, 5, 1, Probed::perhaps), code);
  b.book.give(code);
  EXPECT_EQ(b.probed_length(code, 5).kind, Kind::plain);
}

/// The probe may come late.
TEST(Lengths, KeepTheirMeaningForAWhile) {
  Book b;
  const int code = b.book.take(64 * KiB, 5, 1, Probed::perhaps);
  b.book.give(code);
  for (int i = 1; i < 6; ++i) b.book.give(b.book.take((100 + i) * KiB, 5, 1, Probed::perhaps));
  EXPECT_EQ(b.probed_length(code, 5).total, 64 * KiB);
  EXPECT_EQ(b.book.take(64 * KiB, 5, 1, Probed::perhaps), code);
}

/// An announcement is no longer than the message.
TEST(Lengths, FitTheMessage) {
  Book b;
  EXPECT_EQ(b.book.take(150, 5, 1, Probed::perhaps), LengthBook::refused);
  EXPECT_EQ(b.book.take(200, 5, 1, Probed::perhaps), 0);
  EXPECT_EQ(b.book.take(200, 6, 1, Probed::yes), LengthBook::refused);
}

}  // namespace heddle::engine::lengths_test
