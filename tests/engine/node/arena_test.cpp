// Slots of node memory. No two calls get the same slot, and no slot lies where no page is. The
// memory of a burst goes back.
#include "engine/node/arena.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <random>
#include <set>
#include <vector>

namespace heddle::engine::arena_test {
namespace {

constexpr Bytes size = Bytes{64} << 20;

/// Pages that are present may be touched. Touching others ends the test.
bool grow(std::byte* base, Bytes bytes) noexcept {
  return mprotect(base, static_cast<std::size_t>(bytes), PROT_READ | PROT_WRITE) == 0;
}
void shrink(std::byte* base, Bytes bytes) noexcept { mprotect(base, static_cast<std::size_t>(bytes), PROT_NONE); }
bool grow_no_more(std::byte*, Bytes) noexcept { return false; }

class Memory {
 public:
  Memory() : base_(static_cast<std::byte*>(mmap(nullptr, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))) {}
  ~Memory() { munmap(base_, size); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  [[nodiscard]] std::byte* base() const { return base_; }

 private:
  std::byte* base_;
};

/// Takes a slot and writes all over it.
std::byte* taken(Arena& arena) {
  std::byte* slot = arena.take();
  std::fill_n(slot, slot_bytes, std::byte{1});
  return slot;
}

}  // namespace

TEST(Arena, ABurstGoesBack) {
  const Memory memory;
  Arena arena(memory.base(), size, grow, shrink);
  constexpr Count many = 800;
  ASSERT_TRUE(arena.reserve(many));
  std::vector<std::byte*> burst;
  for (Count i = 0; i < many; ++i) burst.push_back(taken(arena));
  std::vector<Control*> controls;
  for (int i = 0; i < 20; ++i) {
    controls.push_back(arena.take_control(Arena::most_segments));  // above the slots
    controls.back()->segments = static_cast<std::uint32_t>(Arena::most_segments);
  }
  for (std::byte* slot : burst) arena.give(slot);
  for (Control* control : controls) arena.give_control(control);
  EXPECT_GE(arena.present(), many * slot_bytes);

  for (Count i = 0; i < 3 * Arena::review; ++i) {
    ASSERT_TRUE(arena.reserve(1));
    arena.give(taken(arena));
  }
  EXPECT_LE(arena.present(), (Arena::least_kept + 64) * slot_bytes);
  EXPECT_GT(arena.present(), 0);

  ASSERT_TRUE(arena.reserve(many));
  for (std::byte*& slot : burst) slot = taken(arena);
  EXPECT_EQ(std::set<std::byte*>(burst.begin(), burst.end()).size(), burst.size());
}

TEST(Arena, ShortMessagesTakeAsMuchAsTheyHaveBytes) {
  const Memory memory;
  Arena arena(memory.base(), size, grow, shrink);
  constexpr Bytes bytes = 8 << 10;
  constexpr int many = 4000;
  std::vector<std::byte*> pieces;
  for (int i = 0; i < many; ++i) {
    pieces.push_back(arena.take_piece(bytes));
    ASSERT_NE(pieces.back(), nullptr);
    std::fill_n(pieces.back(), bytes, std::byte{1});
  }
  EXPECT_LE(arena.present(), many * bytes + (Bytes{4} << 20));
  for (std::byte* piece : pieces) arena.give_piece(piece);
  for (Count i = 0; i < 2 * Arena::review; ++i) arena.give_piece(arena.take_piece(bytes));
  EXPECT_LE(arena.present(), (Arena::least_kept + 64) * slot_bytes);
}

TEST(Arena, PiecesOfAllSizesAreApart) {
  const Memory memory;
  Arena arena(memory.base(), size, grow, shrink);
  std::mt19937 random(2);
  struct Reference {
    std::byte* at;
    Bytes bytes;  // 0: a slot
    std::byte mark;
  };
  std::vector<Reference> held;
  const auto let_go = [&](std::size_t i) {
    const auto [at, bytes, mark] = held[i];
    ASSERT_EQ(std::count(at, at + (bytes ? bytes : slot_bytes), mark), bytes ? bytes : slot_bytes);
    bytes ? arena.give_piece(at) : arena.give(at);
    held[i] = held.back();
    held.pop_back();
  };
  for (int turn = 0; turn < 30'000; ++turn) {
    if (held.size() > (turn % 5000 < 2500 ? 300 : 20)) {
      let_go(random() % held.size());
      continue;
    }
    const Bytes bytes = random() % 8 == 0 ? 0 : 1 + static_cast<Bytes>(random() % Arena::most_piece);
    if (bytes == 0) {
      ASSERT_TRUE(arena.reserve(1));
    }
    std::byte* const at = bytes ? arena.take_piece(bytes) : arena.take();
    ASSERT_NE(at, nullptr);
    const auto mark = static_cast<std::byte>(random());
    std::fill_n(at, bytes ? bytes : slot_bytes, mark);
    held.push_back({at, bytes, mark});
  }
  while (!held.empty()) let_go(held.size() - 1);
  // All memory is free again, but for one slot of each size.
  const Count slots = (size - Arena::head) / slot_bytes - Arena::most_keepers - 4;
  EXPECT_TRUE(arena.reserve(slots));
}

TEST(Arena, WhatIsInUseStays) {
  const Memory memory;
  Arena arena(memory.base(), size, grow, shrink);
  std::mt19937 random(1);
  std::vector<std::byte*> held;
  std::set<std::byte*> distinct;
  Count promised = 0;
  for (int round = 0; round < 40; ++round) {
    const std::size_t most = round % 4 == 0 ? 600 : 20;
    for (int i = 0; i < 3000; ++i) {
      if (held.size() < most && random() % 2 == 0) {
        if (promised == 0 && arena.reserve(3)) promised = 3;
        if (promised == 0) continue;
        --promised;
        held.push_back(taken(arena));
        ASSERT_TRUE(distinct.insert(held.back()).second);
      } else if (!held.empty()) {
        std::swap(held[random() % held.size()], held.back());
        distinct.erase(held.back());
        arena.give(held.back());
        held.pop_back();
      }
    }
    for (std::byte* slot : held) ASSERT_EQ(slot[slot_bytes - 1], std::byte{1});
  }
}

TEST(Arena, NoMemoryIsNoPromise) {
  const Memory memory;
  Arena arena(memory.base(), size, grow_no_more, shrink);
  EXPECT_FALSE(arena.reserve(1));
  EXPECT_EQ(arena.take_control(4), nullptr);
  EXPECT_EQ(arena.present(), 0);
}

}  // namespace heddle::engine::arena_test
