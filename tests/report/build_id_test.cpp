#include "report/build_id.hpp"

#include <gtest/gtest.h>

#include <cstdio>

#include "report/place.hpp"

namespace heddle::report::build_id_test {
namespace {

TEST(BuildId, IsThatOfALoadedFile) {
  const std::string own = build_id(program_file());
  EXPECT_EQ(own.find_first_not_of("0123456789abcdef"), std::string::npos) << own;
  const Place place = place_of(reinterpret_cast<const void*>(&fopen));
  const std::string other = build_id(place.module);
  EXPECT_FALSE(other.empty()) << place.module << ": the C library has one on every system";
  EXPECT_NE(own, other);
}

TEST(BuildId, IsEmptyForAFileThatIsNotLoaded) {
  EXPECT_EQ(build_id("/nonexistent"), "");
  EXPECT_EQ(build_id(""), "");
}

}  // namespace
}  // namespace heddle::report::build_id_test
