// Volumes in numbers.
#include "select/collective/volumes.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <iostream>

namespace heddle::select::volumes_test {
namespace {

Volumes of(const std::vector<Bytes>& volumes) {
  return Spread().of(static_cast<std::int64_t>(volumes.size()),
                     [&](std::int32_t i) { return volumes[static_cast<std::size_t>(i)]; });
}

TEST(Volumes, OneOutlierStandsOut) {
  std::vector<Bytes> volumes(64, 8);
  volumes[0] = 32 << 10;  // Balaji et al. 2007, §5.3
  const Volumes seen = of(volumes);
  EXPECT_EQ(seen.largest, 32 << 10);
  EXPECT_EQ(seen.bulk, 8);
  EXPECT_EQ(seen.outlier_ratio(), 4096);
  EXPECT_EQ(seen.zero_fraction(), 0);
  EXPECT_NEAR(seen.mean(), 519.875, 0.001);
}

TEST(Volumes, EqualOnesHaveNoOutlier) {
  EXPECT_EQ(of(std::vector<Bytes>(100, 5000)).outlier_ratio(), 1);
  EXPECT_EQ(of({7}).outlier_ratio(), 1);
}

TEST(Volumes, ABulkOfNothing) {
  std::vector<Bytes> volumes(40, 0);
  EXPECT_EQ(of(volumes).outlier_ratio(), 0);
  volumes[3] = volumes[4] = 100;
  EXPECT_EQ(of(volumes).outlier_ratio(), 100);
  EXPECT_EQ(of(volumes).partners, 2);
  EXPECT_NEAR(of(volumes).zero_fraction(), 0.95, 1e-9);
  EXPECT_EQ(of({}).count, 0);
}

TEST(Volumes, TheBulkIsWhatNineInTenDoNotExceed) {
  std::vector<Bytes> volumes;
  for (Bytes i = 1; i <= 1000; ++i) volumes.push_back(i * 617 % 1009);
  std::vector<Bytes> sorted = volumes;
  std::ranges::sort(sorted);
  EXPECT_EQ(of(volumes).bulk, sorted[899]);
}

TEST(Volumes, TakeAFewNanosecondsARank) {
  std::vector<Bytes> volumes(4096);
  for (std::size_t i = 0; i < volumes.size(); ++i) volumes[i] = static_cast<Bytes>(i * 7919 % 4096);
  Spread spread;
  double least = 1e9;
  for (int repetition = 0; repetition < 20; ++repetition) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(spread.of(4096, [&](std::int32_t i) { return volumes[static_cast<std::size_t>(i)]; }).largest, 4095);
    least = std::min(least, std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - begin).count());
  }
  std::cout << "of 4096 volumes: " << least / 4096 << " ns each\n";
  EXPECT_LT(least, 1e6);
}

}  // namespace
}  // namespace heddle::select::volumes_test
