// Types are numbers: 0 is null, and odd types are not committed. The answer tells the question that
// the library was asked.
#include "engine/exchange/argument_checks.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace heddle::engine::argument_checks::argument_checks_test {
namespace {

enum class Found { nothing, type, negative, bottom, argument, buffer };
std::ostream& operator<<(std::ostream& out, Found said) { return out << static_cast<int>(said); }

struct Answer {
  Answer(Found said = Found::nothing) : what(said) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return what != Found::nothing; }
  bool operator==(const Answer&) const = default;
  Found what;
};

struct Host {
  bool looks_at_addresses, refuses_in_place_of_none, looks_at_types_of_none;
};
constexpr Host mpich{true, false, false};
constexpr Host openmpi{false, true, true};

const std::byte in_place_of_all{};
const std::byte memory[64]{};

struct Library {
  Host host;
  [[nodiscard]] const Host& traits() const { return host; }
  static bool null(int type) { return type == 0; }
  static bool sound(int type) { return type > 0 && type % 2 == 0; }
  static bool in_place(const void* address) { return address == &in_place_of_all; }
  static Answer about(int /*type*/, End /*end*/) { return Found::type; }
  static Answer negative(End /*end*/) { return Found::negative; }
  static Answer at_bottom(int /*type*/, End /*end*/) { return Found::bottom; }
  static Answer raised(Wrong wrong) { return wrong == Wrong::buffer ? Found::buffer : Found::argument; }
};
constexpr Form all{.neighbours = false, .gathers = false};
constexpr Form around{.neighbours = true, .gathers = false};
constexpr Form gather{.neighbours = false, .gathers = true};

Found buffer(Host host, const void* address, layout::Count count, int type, Form form = all, End end = End::sent) {
  return in(Buffer<int>{address, count, type}, 2, end, form, Library{host}).what;
}
Found row(Host host, const void* address, Numbers counts, int type, Form form = all, End end = End::sent) {
  static const int places[] = {0, 8};
  return in(VArgument<int>{address, counts, places, type}, 2, end, form, Library{host}).what;
}
Found rows(Host host, const void* address, Numbers counts, const int* types, Form form = all, End end = End::sent) {
  static const int places[] = {0, 8};
  return in(WArgument<int>{address, counts, places, types}, 2, end, form, Library{host}).what;
}

const int some[] = {1, 0};
const int none[] = {0, 0};
const int negative[] = {0, -1};

TEST(Mistakes, SoundArgumentsAreNone) {
  const int types[] = {2, 4};
  for (const Host& host : {mpich, openmpi}) {
    EXPECT_EQ(buffer(host, memory, 1, 2), Found::nothing);
    EXPECT_EQ(row(host, memory, some, 2), Found::nothing);
    EXPECT_EQ(rows(host, memory, some, types), Found::nothing);
  }
}

TEST(Mistakes, NegativeCountsAre) {
  const int types[] = {2, 4};
  for (const Host& host : {mpich, openmpi}) {
    EXPECT_EQ(buffer(host, memory, -1, 2), Found::negative);
    EXPECT_EQ(row(host, memory, negative, 2), Found::negative);
    EXPECT_EQ(rows(host, memory, negative, types), Found::negative);
  }
}

TEST(Mistakes, MissingArraysAreUnlessThereAreNoBlocks) {
  for (const Host& host : {mpich, openmpi}) {
    EXPECT_EQ(row(host, memory, {}, 2), Found::argument);
    EXPECT_EQ(rows(host, memory, some, nullptr), Found::argument);
    EXPECT_FALSE(in(VArgument<int>{}, 0, End::sent, all, Library{host}));
    EXPECT_FALSE(in(WArgument<int>{}, 0, End::sent, all, Library{host}));
  }
}

TEST(Mistakes, MissingPlacesOfAGatherAreWrongBuffersToOpenMpi) {
  const VArgument<int> receive{memory, some, {}, 2};
  EXPECT_EQ(in(receive, 2, End::received, gather, Library{openmpi}).what, Found::buffer);
  EXPECT_EQ(in(receive, 2, End::received, gather, Library{mpich}).what, Found::argument);
  EXPECT_EQ(in(receive, 2, End::received, all, Library{openmpi}).what, Found::argument);
}

TEST(Mistakes, TypesOfElementsAre) {
  const int types[] = {1, 2};
  for (const Host& host : {mpich, openmpi})
    for (const int type : {0, 1}) {
      EXPECT_EQ(buffer(host, memory, 1, type), Found::type);
      EXPECT_EQ(row(host, memory, some, type), Found::type);
      EXPECT_EQ(rows(host, memory, some, types), Found::type);
    }
}

TEST(Mistakes, TypesOfNoElementsAreToMpichWhereOneIsForAllButNotBetweenNeighbours) {
  const int types[] = {0, 1};
  EXPECT_EQ(buffer(mpich, memory, 0, 1), Found::type);
  EXPECT_EQ(row(mpich, memory, none, 1), Found::type);
  EXPECT_EQ(row(mpich, memory, none, 1, around), Found::type);
  EXPECT_EQ(buffer(mpich, memory, 0, 1, around), Found::nothing);
  EXPECT_EQ(rows(mpich, memory, none, types), Found::nothing);
}

TEST(Mistakes, TypesOfNoElementsAreToOpenMpiButThoseNotCommittedThatAreReceivedInGathers) {
  const int types[] = {0, 1};
  EXPECT_EQ(buffer(openmpi, memory, 0, 1, around), Found::type);
  EXPECT_EQ(rows(openmpi, memory, none, types), Found::type);
  EXPECT_EQ(row(openmpi, memory, none, 1, gather, End::sent), Found::type);
  EXPECT_EQ(row(openmpi, memory, none, 1, gather, End::received), Found::nothing);
  EXPECT_EQ(row(openmpi, memory, none, 0, gather, End::received), Found::type);
}

TEST(Mistakes, ElementsAtBottomAreToMpich) {
  const int types[] = {2, 4};
  const int second[] = {0, 1};
  EXPECT_EQ(buffer(mpich, nullptr, 1, 2), Found::bottom);
  EXPECT_EQ(buffer(mpich, nullptr, 0, 2), Found::nothing);
  EXPECT_EQ(row(mpich, nullptr, some, 2), Found::bottom);
  EXPECT_EQ(row(mpich, nullptr, second, 2), Found::nothing);  // at displacement 8
  EXPECT_EQ(rows(mpich, nullptr, some, types), Found::bottom);
  EXPECT_EQ(rows(mpich, nullptr, second, types), Found::nothing);
  EXPECT_EQ(buffer(openmpi, nullptr, 1, 2), Found::nothing);
  EXPECT_EQ(row(openmpi, nullptr, some, 2), Found::nothing);
  EXPECT_EQ(rows(openmpi, nullptr, some, types), Found::nothing);
}

TEST(Mistakes, InPlaceWhereItMayNotBeIsToMpichIfThereAreElements) {
  const int types[] = {2, 4};
  EXPECT_EQ(buffer(mpich, &in_place_of_all, 1, 2), Found::buffer);
  EXPECT_EQ(buffer(mpich, &in_place_of_all, 0, 2), Found::nothing);
  EXPECT_EQ(row(mpich, &in_place_of_all, some, 2), Found::buffer);
  EXPECT_EQ(row(mpich, &in_place_of_all, none, 2), Found::nothing);
  EXPECT_EQ(rows(mpich, &in_place_of_all, some, types), Found::buffer);
  EXPECT_EQ(rows(mpich, &in_place_of_all, none, types), Found::nothing);
  EXPECT_EQ(buffer(openmpi, &in_place_of_all, 0, 2), Found::argument);
  EXPECT_EQ(row(openmpi, &in_place_of_all, none, 2), Found::argument);
  EXPECT_EQ(rows(openmpi, &in_place_of_all, none, types), Found::argument);
}

}  // namespace
}  // namespace heddle::engine::argument_checks::argument_checks_test
