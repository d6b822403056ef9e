// Compares kernels with plain loops, for every instruction set of this processor: random shapes,
// guard bytes, and pages that must not be touched. A failure prints its seed. TEST_SEED=n runs only
// that seed.
//
//   class NestKernels : public KernelTest {};
//   TEST_P(NestKernels, ...) { seeds(100, [&](Random& random) { check_both_ways(random, pieces, pack, unpack, "what"); }); }
#pragma once

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#include "layout/kernel/kernels.hpp"

namespace heddle::layout::kernel {

constexpr Bytes page = 4096;
constexpr Bytes arena_size = 12288 * page;
constexpr Bytes guard = 2 * page;

using Random = std::mt19937_64;

inline std::int64_t pick(Random& random, std::int64_t low, std::int64_t high) {
  return std::uniform_int_distribution<std::int64_t>(low, high)(random);
}

/// The bytes [offset, offset + length) from a side's base.
struct Range {
  Bytes offset, length;
};

/// Memory and the packed stream have the same pieces in the same order.
struct Pieces {
  std::vector<Range> memory, packed;
};

inline void plain_copy(std::byte* to, const std::byte* from, const std::vector<Range>& t, const std::vector<Range>& f) {
  for (std::size_t i = 0; i < t.size(); ++i)
    std::memcpy(to + t[i].offset, from + f[i].offset, static_cast<std::size_t>(t[i].length));
}

/// A side of a copy: memory between two unreadable pages. Whole pages without a described byte are
/// unreadable, too.
class Arena {
 public:
  Arena() {
    void* memory = mmap(nullptr, arena_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    memory_ = static_cast<std::byte*>(memory);
  }
  ~Arena() { munmap(memory_, arena_size); }
  Arena(const Arena&) = delete;

  /// Finds a base such that all ranges lie inside: at the end or start of a page, or anywhere.
  /// Fills the memory with noise.
  std::byte* place(Random& random, const std::vector<Range>& ranges) {
    Bytes low = 0, high = 0;
    if (!ranges.empty()) low = ranges.front().offset, high = low;
    for (const Range& range : ranges) {
      low = std::min(low, range.offset);
      high = std::max(high, range.offset + range.length);
    }
    const Bytes room = arena_size - 2 * page - (high - low);
    if (room < 0) return nullptr;
    Bytes start = page + pick(random, 0, std::min<Bytes>(room, 2 * page));
    if (const auto how = pick(random, 0, 3); how == 0)
      start = page;
    else if (how == 1)
      start = arena_size - page - (high - low);
    else if (how == 2)
      start = start / 64 * 64;
    base_ = memory_ + start - low;
    // Only reachable bytes are filled and compared: the ranges, and a guard on each side.
    first_ = std::max<Bytes>(0, start - guard) / page * page;
    last_ = std::min(arena_size, (start + high - low + guard + page - 1) / page * page);
    std::uint64_t noise = random();
    for (Bytes i = first_; i < last_; i += 8) {
      noise = noise * 6364136223846793005u + 1442695040888963407u;
      std::memcpy(memory_ + i, &noise, 8);
    }
    described_.assign(arena_size / page, false);
    for (const Range& range : ranges)
      for (Bytes at = start - low + range.offset, end = at + range.length; at < end; at = (at / page + 1) * page)
        described_[static_cast<std::size_t>(at / page)] = true;
    image_.assign(memory_ + first_, memory_ + last_);
    return base_;
  }

  /// The same place in a copy of the memory. The plain loop runs there.
  std::byte* image() { return image_.data() + (base_ - memory_ - first_); }

  void lock() {
    for (std::size_t i = 0; i < described_.size();) {
      std::size_t j = i;
      while (j < described_.size() && described_[j] == described_[i]) ++j;
      if (!described_[i]) mprotect(memory_ + static_cast<Bytes>(i) * page, (j - i) * page, PROT_NONE);
      i = j;
    }
  }
  void unlock() { mprotect(memory_, arena_size, PROT_READ | PROT_WRITE); }

  /// "" if memory is as the plain loop left it.
  std::string difference() const {
    if (std::memcmp(memory_ + first_, image_.data(), image_.size()) == 0) return "";
    for (Bytes i = first_; i < last_; ++i)
      if (memory_[i] != image_[static_cast<std::size_t>(i - first_)])
        return "first wrong byte at " + std::to_string(memory_ + i - base_);
    return "";
  }

 private:
  std::byte* memory_;
  std::byte* base_ = nullptr;
  Bytes first_ = 0, last_ = 0;
  std::vector<std::byte> image_;
  std::vector<bool> described_;
};

/// The kernels of every instruction set. A file of tests derives its suite from this class and
/// instantiates it with every_isa().
class KernelTest : public testing::TestWithParam<Isa> {
 protected:
  void SetUp() override {
    if (!use(GetParam())) GTEST_SKIP() << "this processor has no " << name(GetParam());
  }
  void TearDown() override { use(best_isa()); }

  /// Calls body(random) with many seeds, or with the one of TEST_SEED. AddressSanitizer does not
  /// see into kernels (src/layout/CMakeLists.txt). So its build takes a quarter of the seeds, for
  /// the undefined behaviour that the other sanitizer finds.
  template <class Body>
  void seeds(int count, Body body) {
#ifdef __SANITIZE_ADDRESS__
    count = (count + 3) / 4;
#endif
    const char* chosen = std::getenv("TEST_SEED");
    for (int i = 0; i < (chosen ? 1 : count); ++i) {
      const std::uint64_t seed = chosen ? std::strtoull(chosen, nullptr, 10) : std::random_device{}();
      SCOPED_TRACE("TEST_SEED=" + std::to_string(seed));
      Random random(seed);
      body(random);
      if (HasFailure()) return;
    }
  }

  /// Runs `kernel(to, from)` in locked memory and `plain(to, from)` on the image, and compares
  /// everything.
  template <class Copy, class Plain>
  void check(Random& random, const std::vector<Range>& to_ranges, const std::vector<Range>& from_ranges, Copy kernel,
             Plain plain, const std::string& what) {
    std::byte* const to = to_.place(random, to_ranges);
    std::byte* const from = from_.place(random, from_ranges);
    if (!to || !from) return;
    plain(to_.image(), from_.image());
    to_.lock();
    from_.lock();
    kernel(to, from);
    to_.unlock();
    from_.unlock();
    EXPECT_EQ(to_.difference(), "") << what;
    EXPECT_EQ(from_.difference(), "") << what << " (the source was written)";
  }

  /// `pack(to, from)` packs the pieces, and `unpack(to, from)` puts them back.
  template <class Pack, class Unpack>
  void check_both_ways(Random& random, const Pieces& pieces, Pack pack, Unpack unpack, const std::string& what) {
    check_packing(random, pieces, pack, what);
    check(
        random, pieces.memory, pieces.packed, unpack,
        [&](std::byte* t, const std::byte* f) { plain_copy(t, f, pieces.memory, pieces.packed); }, "unpack " + what);
  }
  /// Pieces that overlap can be sent, not received.
  template <class Pack>
  void check_packing(Random& random, const Pieces& pieces, Pack pack, const std::string& what) {
    check(
        random, pieces.packed, pieces.memory, pack,
        [&](std::byte* t, const std::byte* f) { plain_copy(t, f, pieces.packed, pieces.memory); }, "pack " + what);
  }

 private:
  Arena to_, from_;
};

inline auto every_isa() { return testing::Values(Isa::portable, Isa::avx2, Isa::avx512); }
inline std::string isa_of(const testing::TestParamInfo<Isa>& instance) { return name(instance.param); }

inline Bytes any_block(Random& random) {
  switch (pick(random, 0, 5)) {
    case 0:
      return Bytes{1} << pick(random, 0, 6);
    case 1: {
      constexpr Bytes odd[] = {3, 5, 6, 7, 12, 20, 24, 28, 40, 44, 48, 56};
      return odd[pick(random, 0, 11)];
    }
    case 2:
      return pick(random, 65, 700);
    case 3:
      return pick(random, 0, 20) == 0 ? pick(random, 2000, 9000) : pick(random, 1, 16);
    default:
      return pick(random, 1, 64);
  }
}

}  // namespace heddle::layout::kernel
