#include "engine/collective/departures.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <numeric>

#include "numbered_types.hpp"

namespace heddle::engine::sparse::departures_test {
namespace {

using D = Departures<int, test::NumberedType>;
constexpr int nobody = -2;
constexpr D::Ranks ranks{.ranks = 4, .nobody = nobody};
constexpr D::Errors errors{.argument = 1, .rank = 2, .count = 3};

class SparseDepartures : public testing::Test {
 protected:
  SparseDepartures() { std::iota(data.begin(), data.end(), 0); }
  [[nodiscard]] std::ptrdiff_t offset(const std::byte* packed) const {
    return packed - reinterpret_cast<const std::byte*>(data.data());
  }
  std::array<unsigned char, 64> data{};
};

TEST_F(SparseDepartures, LieOneAfterTheOtherWhereNoPlacesAreGiven) {
  const int to[] = {3, nobody, 0};
  const long counts[] = {2, 1, 3};
  D departures;
  ASSERT_EQ(departures.read({data.data(), 3, to, counts, {}, 4, nullptr}, ranks, errors), 0);
  ASSERT_EQ(departures.all().size(), 2U);  // MPI_PROC_NULL gets nothing
  EXPECT_EQ(departures.all()[0].to, 3);
  EXPECT_EQ(departures.all()[0].bytes, 8);
  EXPECT_EQ(offset(departures.all()[0].packed), 0);
  EXPECT_EQ(departures.all()[1].bytes, 12);
  EXPECT_EQ(offset(departures.all()[1].packed), 12);
}

TEST_F(SparseDepartures, LieAtPlacesInElementsOrWithATypeForEachInBytes) {
  const int to[] = {1, 2};
  const long counts[] = {1, 1};
  const long places[] = {5, 3};
  const int types[] = {4, 2};
  D one;
  ASSERT_EQ(one.read({data.data(), 2, to, counts, places, 4, nullptr}, ranks, errors), 0);
  EXPECT_EQ(offset(one.all()[1].packed), 12);
  D each;
  ASSERT_EQ(each.read({data.data(), 2, to, counts, places, 0, types}, ranks, errors), 0);
  EXPECT_EQ(offset(each.all()[1].packed), 3);
  EXPECT_EQ(each.all()[1].bytes, 2);
}

TEST_F(SparseDepartures, WithHolesArePacked) {
  const int to[] = {1, 2};
  const long counts[] = {2, 2};
  D departures;
  ASSERT_EQ(departures.read({data.data(), 2, to, counts, {}, 102, nullptr}, ranks, errors), 0);
  ASSERT_EQ(departures.all()[1].packed, nullptr);
  std::array<unsigned char, 4> packed{};
  EXPECT_EQ(departures.pack(1, reinterpret_cast<std::byte*>(packed.data()), 0), 0);
  EXPECT_EQ(packed, (std::array<unsigned char, 4>{8, 9, 12, 13}));
  EXPECT_EQ(departures.pack(0, reinterpret_cast<std::byte*>(packed.data()), 42), 42);  // the library's error
}

TEST_F(SparseDepartures, OfWrongArgumentsAreRefused) {
  const int to[] = {1, 4};
  const int near[] = {1, 2};
  const long counts[] = {1, 1};
  const long negative[] = {1, -1};
  const long large[] = {1, std::numeric_limits<long>::max() / 2};
  const int types[] = {4, 4};
  const auto read = [&](const D::Given& given) { return D().read(given, ranks, errors); };
  EXPECT_EQ(read({data.data(), -1, near, counts, {}, 4, nullptr}), errors.argument);
  EXPECT_EQ(read({data.data(), 2, nullptr, counts, {}, 4, nullptr}), errors.argument);
  EXPECT_EQ(read({data.data(), 2, near, {}, {}, 4, nullptr}), errors.argument);
  EXPECT_EQ(read({data.data(), 2, near, counts, {}, 4, types}), errors.argument);
  EXPECT_EQ(read({data.data(), 2, near, counts, large, 4, nullptr}), errors.argument);
  EXPECT_EQ(read({data.data(), 2, to, counts, {}, 4, nullptr}), errors.rank);
  EXPECT_EQ(read({data.data(), 2, near, negative, {}, 4, nullptr}), errors.count);
  EXPECT_EQ(read({data.data(), 2, near, large, {}, 4, nullptr}), errors.count);
  EXPECT_EQ(read({data.data(), 2, near, counts, {}, 0, nullptr}), 7);
  EXPECT_EQ(read({nullptr, 0, nullptr, {}, {}, 0, nullptr}), 0);
}

}  // namespace
}  // namespace heddle::engine::sparse::departures_test
