// Copies by lists of blocks move the bytes that layout::transfer moves, and no others. The process
// at the other end is this one.
#include "engine/node/push.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string>
#include <vector>

#include "layout/grammar.hpp"
#include "layout/transfer.hpp"
#include "transport/cma/cma.hpp"
#include "transport/region.hpp"

namespace heddle::engine::push_test {
namespace {

using layout::Bytes;
using layout::Count;

/// Elements with memory around them.
class Field {
 public:
  Field(const std::string& text, Count count, unsigned seed) : type_(layout::grammar::parse(text)), count_(count) {
    const layout::Layout& layout = type_->layout;
    const Bytes last = (count - 1) * layout.extent();
    before_ = guard - std::min<Bytes>(0, layout.true_lower_bound() + std::min<Bytes>(0, last));
    const Bytes end = layout.true_lower_bound() + layout.true_extent() + std::max<Bytes>(0, last);
    memory_.resize(static_cast<std::size_t>(before_ + end + guard));
    for (std::size_t i = 0; i < memory_.size(); ++i) memory_[i] = static_cast<std::byte>(i * 31 + i / 256 * 7 + seed);
  }
  [[nodiscard]] const layout::Layout& layout() const { return type_->layout; }
  std::byte* base() { return memory_.data() + before_; }
  Source source() { return {&layout(), count_, base()}; }
  Target target() { return {&layout(), count_, base()}; }
  Remote remote() { return {&layout(), count_, base(), nullptr, {&own_, 0}}; }
  [[nodiscard]] Bytes bytes() const { return type_->layout.size() * count_; }
  [[nodiscard]] const std::vector<std::byte>& memory() const { return memory_; }

 private:
  static constexpr Bytes guard = 64;
  layout::grammar::TypePtr type_;
  Count count_;
  Bytes before_ = 0;
  std::vector<std::byte> memory_;
  transport::cma::Cma own_{std::vector<pid_t>{getpid()}};
};

struct Shape {
  const char* text;
  Count count;
};

/// Each set has the same number of bytes.
const std::vector<std::vector<Shape>> sets = {
    {{"vector(3000, 1, 2, int)", 1},
     {"int", 3000},
     {"vector(30, 100, 130, int)", 1},
     {"vector(10, 1, -3, int)", 300},
     {"hindexed([1, 2, 3, 4], [100, 0, 40, 60], int)", 300}},
    {{"vector(120, 1000, 1010, int)", 1},
     {"contiguous(120000, int)", 1},
     {"vector(40000, 3, 5, int)", 1},
     {"vector(4000, 30, 31, int)", 1},
     {"resized(contiguous(100, int), 0, 4100)", 1200}},
    {{"vector(2, 1, 4, double)", 1}, {"vector(8, 1, 2, short)", 1}, {"byte", 16}},
};

}  // namespace

TEST(Push, MovesWhatATransferMoves) {
  ScratchPool pool;
  ScratchBuffers* const scratch = pool.take();
  for (const std::vector<Shape>& set : sets)
    for (const Shape& mine : set)
      for (const Shape& theirs : set) {
        const std::string what = std::string(mine.text) + " and " + theirs.text;
        Field here(mine.text, mine.count, 1), there(theirs.text, theirs.count, 2), wanted(theirs.text, theirs.count, 2);
        ASSERT_EQ(here.bytes(), there.bytes()) << what;
        layout::transfer(here.layout(), mine.count, here.base(), wanted.layout(), theirs.count, wanted.base());
        EXPECT_EQ(push(here.source(), there.remote(), *scratch), 0) << what;
        EXPECT_TRUE(there.memory() == wanted.memory()) << what;

        Field expected(mine.text, mine.count, 3);
        layout::transfer(wanted.layout(), theirs.count, wanted.base(), expected.layout(), mine.count, expected.base());
        for (const Scheme scheme : {Scheme::rwg_up, Scheme::multi_w}) {
          Field back(mine.text, mine.count, 3);
          EXPECT_TRUE(pull(scheme, there.remote(), back.target(), 0, there.bytes(), *scratch)) << what;
          EXPECT_TRUE(back.memory() == expected.memory()) << what;
        }
      }
  pool.give(scratch);
}

TEST(Push, SaysThatMemoryIsMissing) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP() << "that build copies by itself instead (two_threads_test.cpp)";
#endif
  ScratchPool pool;
  ScratchBuffers* const scratch = pool.take();
  const auto page = static_cast<std::size_t>(transport::page_size());
  auto* const pages =
      static_cast<std::byte*>(mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  ASSERT_EQ(munmap(pages + page, page), 0);
  Field here("vector(1000, 1, 2, int)", 1, 1);
  Remote there = here.remote();
  there.address = pages;
  EXPECT_EQ(push(here.source(), there, *scratch), EFAULT);
  EXPECT_FALSE(pull(Scheme::rwg_up, there, here.target(), 0, here.bytes(), *scratch));
  munmap(pages, page);
  pool.give(scratch);
}

}  // namespace heddle::engine::push_test
