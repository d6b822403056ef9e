#include "threads/picked.hpp"

#include <gtest/gtest.h>

#include <array>
#include <stdexcept>

namespace heddle::threads::picked_test {
namespace {

using Row = std::array<int, 5>;
const auto odd = [](int i) { return i % 2 == 1; };

TEST(Picked, AreOneAfterTheOtherAndThenBackInTheirPlaces) {
  Row handles{10, 11, 12, 13, 14}, statuses{0, 1, 2, 3, 4};
  Picked<int, int> picked(5, handles.data(), odd);
  ASSERT_TRUE(picked);
  const int result = picked.call(handles.data(), statuses.data(), [](int n, int* them, int* theirs) {
    EXPECT_EQ(n, 2);
    EXPECT_EQ(them[0], 11);
    EXPECT_EQ(theirs[1], 3) << "as it was";
    them[1] = -1;
    theirs[0] = 100;
    return 42;
  });
  EXPECT_EQ(result, 42);
  EXPECT_EQ(handles, (Row{10, 11, 12, -1, 14}));
  EXPECT_EQ(statuses, (Row{0, 100, 2, 3, 4}));
}

TEST(Picked, HaveStatusesWhereNobodyWantsThem) {
  Row handles{10, 11, 12, 13, 14};
  Picked<int, int> picked(5, handles.data(), odd);
  EXPECT_EQ(picked.call(handles.data(), nullptr, [](int /*n*/, int* them, int* theirs) { return them[1] = theirs[1] = 0; }), 0);
  EXPECT_EQ(handles[3], 0);
}

TEST(Picked, AreNotAskedForWhereThereAreNone) {
  const auto never = [](int /*n*/, int* /*them*/, int* /*theirs*/) -> int { throw std::logic_error("called"); };
  Row handles{};
  Picked<int, int> none(5, handles.data(), [](int /*i*/) { return false; });
  EXPECT_EQ(none.call(handles.data(), nullptr, never), 0);
  Picked<int, int> nothing(0, nullptr, odd);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing.call(nullptr, nullptr, never), 0);
}

TEST(Picked, AreBackInTheirPlacesAfterAThrow) {
  Row handles{10, 11, 12, 13, 14};
  Picked<int, int> picked(5, handles.data(), odd);
  EXPECT_THROW(picked.call(handles.data(), nullptr,
                           [](int /*n*/, int* them, int* /*theirs*/) -> int {
                             them[0] = -1;
                             throw std::runtime_error("a handler");
                           }),
               std::runtime_error);
  EXPECT_EQ(handles, (Row{10, -1, 12, 13, 14}));
}

}  // namespace
}  // namespace heddle::threads::picked_test
