#include "engine/collective/sparse_program.hpp"

#include <gtest/gtest.h>

#include <array>

#include "numbered_types.hpp"

namespace heddle::engine::sparse::sparse_program_test {
namespace {

using layout::Count;

constexpr int no_memory = 1, uneven = 2, truncated = 3, unknown = 4;

/// The lists that the program gets.
struct List {
  void* data = nullptr;
  Count room = 0;
  const int* sources = nullptr;
  const Count* counts = nullptr;
  const Count* places = nullptr;
  Count total = 0;
};

/// Memory for four messages at most. Their elements lie one after the other.
struct Memory {
  List list;
  std::array<int, 4> sources{};
  std::array<Count, 4> counts{}, places{};
};

struct Arrivals {
  explicit Arrivals(Memory& memory) : list(memory.list), memory_(memory) {}
  int make_lists(Count messages) {
    if (messages > std::ssize(memory_.counts)) return no_memory;
    list.sources = memory_.sources.data();
    list.counts = memory_.counts.data();
    list.places = memory_.places.data();
    messages_ = messages;
    return 0;
  }
  int lay_out(const test::NumberedType::Measures& one) {
    bool whole = true;
    for (std::size_t i = 0; i < static_cast<std::size_t>(messages_); ++i) {
      whole = whole && memory_.counts[i] % one.size == 0;
      memory_.counts[i] /= one.size;
      memory_.places[i] = std::exchange(list.total, list.total + memory_.counts[i]);
    }
    return !whole ? uneven : list.total > list.room ? truncated : 0;
  }
  List& list;

 private:
  Memory& memory_;
  Count messages_ = 0;
};

using Given = GivenProgram<int, test::NumberedType, Arrivals, int>;
constexpr Given::Sent::Ranks ranks{.ranks = 4, .nobody = -2};
constexpr Given::Sent::Errors errors{.argument = 11, .rank = 12, .count = 13};

class SparseProgram : public testing::Test {
 protected:
  explicit SparseProgram(Count room = 16) {
    memory.list.data = into.data();
    memory.list.room = room;
  }
  int reads(int receive_type) { return program.read({nullptr, 0, nullptr, {}, {}, 1, nullptr}, receive_type, ranks, errors); }
  [[nodiscard]] const std::byte* sent(std::size_t at = 0) const {
    return reinterpret_cast<const std::byte*>(bytes.data()) + at;
  }
  [[nodiscard]] std::byte* place(std::size_t at) { return reinterpret_cast<std::byte*>(into.data()) + at; }

  Memory memory;
  std::array<unsigned char, 8> bytes{1, 2, 3, 4, 5, 6, 7, 8};
  std::array<unsigned char, 32> into{};
  Given program{Arrivals(memory), {.truncated = truncated, .unknown = unknown}};
};

TEST_F(SparseProgram, IsToldWhoHasSentHowMuch) {
  ASSERT_EQ(reads(2), 0);
  const Arrival came[] = {{1, 4, nullptr}, {3, 2, nullptr}};
  program.lay_out(came);
  EXPECT_EQ(memory.list.sources[1], 3);
  EXPECT_EQ(memory.list.counts[0], 2);
  EXPECT_EQ(memory.list.places[1], 2);
  EXPECT_EQ(memory.list.total, 3);
}

TEST_F(SparseProgram, ReceivesStraightIntoPlaceWhereElementsHaveNoHoles) {
  ASSERT_EQ(reads(2), 0);
  EXPECT_EQ(program.place_of(0), nullptr) << "nobody has said yet what comes";
  const Arrival came[] = {{1, 4, sent()}, {3, 2, nullptr}};
  program.lay_out(came);
  EXPECT_EQ(program.place_of(1), place(4));
  const Arrival here[] = {{1, 4, sent()}, {3, 2, program.place_of(1)}};
  EXPECT_EQ(program.fill(here), 0);
  EXPECT_EQ(into[3], 4);
  EXPECT_EQ(into[4], 0) << "that was there already";
}

TEST_F(SparseProgram, UnpacksElementsWithHoles) {
  ASSERT_EQ(reads(102), 0);
  const Arrival came[] = {{0, 4, sent()}, {2, 0, nullptr}, {3, 4, sent(4)}};
  program.lay_out(came);
  EXPECT_EQ(program.place_of(0), nullptr);
  EXPECT_EQ(program.fill(came), 0);
  EXPECT_EQ(std::vector(into.begin(), into.begin() + 16),
            (std::vector<unsigned char>{1, 2, 0, 0, 3, 4, 0, 0, 5, 6, 0, 0, 7, 8, 0, 0}));
}

TEST_F(SparseProgram, HearsOfErrorsOfTheLibrary) {
  ASSERT_EQ(reads(0), 7) << "of a receive type that it refuses";
  ASSERT_EQ(reads(102), 0);
  const Arrival came[] = {{0, 4, sent()}};
  program.over(42);
  program.lay_out(came);
  EXPECT_EQ(program.fill(came), 42);
}

TEST_F(SparseProgram, ThrowsWhatTheLibrarySaysWhenItPacks) {
  const int to[] = {1};
  const Count counts[] = {2};
  ASSERT_EQ(program.read({bytes.data(), 1, to, counts, {}, 102, nullptr}, 1, ranks, errors), 0);
  ASSERT_EQ(program.departures().size(), 1U);
  std::array<std::byte, 4> packed{};
  program.pack(0, packed.data());
  EXPECT_EQ(packed[2], std::byte{5});
  program.over(42);
  EXPECT_THROW(program.pack(0, packed.data()), Failed);
}

TEST_F(SparseProgram, GetsNothingWhereThereIsNoMemoryOrNoWholeElement) {
  ASSERT_EQ(reads(2), 0);
  EXPECT_EQ(program.fill({}), unknown);
  const Arrival five[] = {{0, 2, sent()}, {1, 2, sent()}, {2, 2, sent()}, {3, 2, sent()}, {3, 2, sent()}};
  program.lay_out(five);
  EXPECT_EQ(program.fill(five), no_memory);
  const Arrival half[] = {{0, 3, sent()}};
  program.lay_out(half);
  EXPECT_EQ(program.fill(half), uneven);
  EXPECT_EQ(into[0], 0);
}

class ShortSparseProgram : public SparseProgram {
 protected:
  ShortSparseProgram() : SparseProgram(2) {}
};

TEST_F(ShortSparseProgram, GetsWhatFits) {
  ASSERT_EQ(reads(2), 0);
  const Arrival came[] = {{0, 4, sent()}, {3, 2, sent(4)}};
  program.lay_out(came);
  EXPECT_EQ(program.place_of(1), nullptr);
  EXPECT_EQ(program.fill(came), truncated);
  EXPECT_EQ(into[3], 4);
  EXPECT_EQ(into[4], 0);
}

}  // namespace
}  // namespace heddle::engine::sparse::sparse_program_test
