// The k-th smallest, of ordered, equal, random and malicious values, in linear time.
#include "select/k_select.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

namespace heddle::select::k_select_test {
namespace {

/// A number that counts how often it is compared.
struct ReferenceCount {
  std::int64_t value;
  static inline std::int64_t comparisons = 0;
  bool operator<(const ReferenceCount& other) const {
    ++comparisons;
    return value < other.value;
  }
};

std::vector<std::int64_t> filled(std::size_t n, const std::function<std::int64_t(std::size_t)>& value) {
  std::vector<std::int64_t> values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = value(i);
  return values;
}

const std::vector<std::pair<const char*, std::function<std::int64_t(std::size_t)>>>& shapes() {
  static std::minstd_rand random(5);
  static const std::vector<std::pair<const char*, std::function<std::int64_t(std::size_t)>>> all = {
      {"rising", [](std::size_t i) { return static_cast<std::int64_t>(i); }},
      {"falling", [](std::size_t i) { return -static_cast<std::int64_t>(i); }},
      {"all equal", [](std::size_t) { return 8; }},
      {"one outlier at the front", [](std::size_t i) { return i == 0 ? 1 << 20 : 8; }},
      {"few values", [](std::size_t i) { return static_cast<std::int64_t>(i * i % 3); }},
      {"random", [](std::size_t) { return static_cast<std::int64_t>(random()); }},
      {"power law", [](std::size_t) { return static_cast<std::int64_t>(1e6 / (1 + static_cast<double>(random() % 100'000))); }},
      {"organ pipe", [](std::size_t i) { return static_cast<std::int64_t>(i % 2000 < 1000 ? i % 1000 : 1000 - i % 1000); }},
      {"saw", [](std::size_t i) { return static_cast<std::int64_t>(i % 17); }},
  };
  return all;
}

TEST(KSelect, AsSortingSays) {
  for (const auto& [name, shape] : shapes()) {
    for (const std::size_t n : {1u, 2u, 3u, 10u, 64u, 599u, 601u, 602u, 5000u}) {
      const std::vector<std::int64_t> values = filled(n, shape);
      std::vector<std::int64_t> sorted = values;
      std::ranges::sort(sorted);
      for (std::size_t k = 1; k <= n; k += n < 100 ? 1 : n / 37) {
        std::vector<std::int64_t> work = values;
        ASSERT_EQ(k_select(std::span(work), k), sorted[k - 1]) << name << ", " << k << " of " << n;
        const auto at = work.begin() + static_cast<std::ptrdiff_t>(k - 1);
        ASSERT_TRUE(std::all_of(work.begin(), at, [&](std::int64_t one) { return one <= *at; })) << name;
        ASSERT_TRUE(std::all_of(at, work.end(), [&](std::int64_t one) { return one >= *at; })) << name;
        std::ranges::sort(work);
        ASSERT_EQ(work, sorted) << "a value was lost";
      }
    }
  }
}

/// Comparisons per value, for the place where the bulk ends.
double effort(const std::vector<std::int64_t>& values) {
  std::vector<ReferenceCount> work;
  for (const std::int64_t one : values) work.push_back({one});
  ReferenceCount::comparisons = 0;
  const ReferenceCount found = k_select(std::span(work), values.size() * 9 / 10);
  std::vector<std::int64_t> sorted = values;
  std::ranges::sort(sorted);
  EXPECT_EQ(found.value, sorted[values.size() * 9 / 10 - 1]);
  return static_cast<double>(ReferenceCount::comparisons) / static_cast<double>(values.size());
}

TEST(KSelect, TakesLinearTime) {
  for (const auto& [name, shape] : shapes()) {
    for (const std::size_t n : {1000u, 30'000u, 1'000'000u}) EXPECT_LT(effort(filled(n, shape)), 12) << name << ", " << n;
  }
  std::minstd_rand random(1);
  EXPECT_LT(effort(filled(1'000'000, [&](std::size_t) { return static_cast<std::int64_t>(random()); })), 1.6)
      << "n + min(k, n - k), and a little";
}

TEST(KSelect, AMaliciousOrderMakesItSlowerByAFactorOnly) {
  // McIlroy's adversary: values take shape while they are compared, so that the pivot is always an
  // extreme one.
  constexpr std::int64_t n = 20'000;
  struct Adversary {
    std::vector<std::int64_t> value;
    std::int64_t solid = 0, candidate = 0, comparisons = 0;
  };
  static Adversary adversary;
  adversary = {std::vector<std::int64_t>(n, n), 0, 0, 0};
  struct Item {
    std::int64_t id;
    bool operator<(const Item& other) const {
      const auto value = [](std::int64_t of) -> std::int64_t& { return adversary.value[static_cast<std::size_t>(of)]; };
      ++adversary.comparisons;
      if (value(id) == n && value(other.id) == n) value(id == adversary.candidate ? id : other.id) = adversary.solid++;
      if (value(id) == n) adversary.candidate = id;
      if (value(other.id) == n) adversary.candidate = other.id;
      return value(id) < value(other.id);
    }
  };
  std::vector<Item> items;
  for (std::int64_t i = 0; i < n; ++i) items.push_back({i});
  k_select(std::span(items), n / 2);
  EXPECT_LT(adversary.comparisons, 100 * n);
  EXPECT_LT(effort(adversary.value), 100) << "the order that came out of it, once more";
}

}  // namespace
}  // namespace heddle::select::k_select_test
