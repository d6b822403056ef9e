#include "engine/start/readiness.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace heddle::engine::readiness_test {
namespace {

/// Reduces as MPI_Allreduce does with MPI_MIN.
std::optional<Nonce> together(std::vector<Readiness> ranks) {
  for (Readiness& each : ranks)
    for (int i = 0; i < Readiness::count; ++i) ranks[0].numbers()[i] = std::min(ranks[0].numbers()[i], each.numbers()[i]);
  return ranks[0].nonce();
}

TEST(Readiness, AllTakeTheNonceOfRankZero) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{5}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    const Nonce first = {number, ~number};
    const Nonce other = {1, 2};
    EXPECT_EQ(together({{true, other, 1}, {true, first, 0}, {true, other, 2}}), first) << number;
  }
}

TEST(Readiness, OneThatIsNotReadyKeepsAllFromIt) {
  const Nonce first = {1, 2};
  EXPECT_FALSE(together({{true, first, 0}, {false, {}, 1}}));
  EXPECT_FALSE(together({{false, first, 0}, {true, {}, 1}}));
}

TEST(Readiness, NoTwoNoncesAreTheSame) { EXPECT_NE(random_nonce(), random_nonce()); }

}  // namespace
}  // namespace heddle::engine::readiness_test
