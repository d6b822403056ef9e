// Types are numbers: 0 is null, and odd types are not committed. The answer tells the question that
// the library was asked.
#include "engine/exchange/mistakes.hpp"

#include <gtest/gtest.h>

#include <ostream>

namespace heddle::engine::mistakes {
namespace {

enum class Said { nothing, type, negative, bottom, argument, buffer };
std::ostream& operator<<(std::ostream& out, Said said) { return out << static_cast<int>(said); }

struct Answer {
  Answer(Said said = Said::nothing) : what(said) {}  // NOLINT(google-explicit-constructor)
  explicit operator bool() const { return what != Said::nothing; }
  bool operator==(const Answer&) const = default;
  Said what;
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
  static Answer about(int /*type*/, End /*end*/) { return Said::type; }
  static Answer negative(End /*end*/) { return Said::negative; }
  static Answer at_bottom(int /*type*/, End /*end*/) { return Said::bottom; }
  static Answer raised(Wrong wrong) { return wrong == Wrong::buffer ? Said::buffer : Said::argument; }
};
constexpr Form all{.neighbours = false, .gathers = false};
constexpr Form around{.neighbours = true, .gathers = false};
constexpr Form gather{.neighbours = false, .gathers = true};

Said buffer(Host host, const void* address, layout::Count count, int type, Form form = all, End end = End::sent) {
  return in(Buffer<int>{address, count, type}, 2, end, form, Library{host}).what;
}
Said row(Host host, const void* address, Numbers counts, int type, Form form = all, End end = End::sent) {
  static const int places[] = {0, 8};
  return in(VArgument<int>{address, counts, places, type}, 2, end, form, Library{host}).what;
}
Said rows(Host host, const void* address, Numbers counts, const int* types, Form form = all, End end = End::sent) {
  static const int places[] = {0, 8};
  return in(WArgument<int>{address, counts, places, types}, 2, end, form, Library{host}).what;
}

const int some[] = {1, 0};
const int none[] = {0, 0};
const int negative[] = {0, -1};

TEST(Mistakes, SoundArgumentsAreNone) {
  const int types[] = {2, 4};
  for (const Host& host : {mpich, openmpi}) {
    EXPECT_EQ(buffer(host, memory, 1, 2), Said::nothing);
    EXPECT_EQ(row(host, memory, some, 2), Said::nothing);
    EXPECT_EQ(rows(host, memory, some, types), Said::nothing);
  }
}

TEST(Mistakes, NegativeCountsAre) {
  const int types[] = {2, 4};
  for (const Host& host : {mpich, openmpi}) {
    EXPECT_EQ(buffer(host, memory, -1, 2), Said::negative);
    EXPECT_EQ(row(host, memory, negative, 2), Said::negative);
    EXPECT_EQ(rows(host, memory, negative, types), Said::negative);
  }
}

TEST(Mistakes, MissingArraysAreUnlessThereAreNoBlocks) {
  for (const Host& host : {mpich, openmpi}) {
    EXPECT_EQ(row(host, memory, {}, 2), Said::argument);
    EXPECT_EQ(rows(host, memory, some, nullptr), Said::argument);
    EXPECT_FALSE(in(VArgument<int>{}, 0, End::sent, all, Library{host}));
    EXPECT_FALSE(in(WArgument<int>{}, 0, End::sent, all, Library{host}));
  }
}

TEST(Mistakes, MissingPlacesOfAGatherAreWrongBuffersToOpenMpi) {
  const VArgument<int> receive{memory, some, {}, 2};
  EXPECT_EQ(in(receive, 2, End::received, gather, Library{openmpi}).what, Said::buffer);
  EXPECT_EQ(in(receive, 2, End::received, gather, Library{mpich}).what, Said::argument);
  EXPECT_EQ(in(receive, 2, End::received, all, Library{openmpi}).what, Said::argument);
}

TEST(Mistakes, TypesOfElementsAre) {
  const int types[] = {1, 2};
  for (const Host& host : {mpich, openmpi})
    for (const int type : {0, 1}) {
      EXPECT_EQ(buffer(host, memory, 1, type), Said::type);
      EXPECT_EQ(row(host, memory, some, type), Said::type);
      EXPECT_EQ(rows(host, memory, some, types), Said::type);
    }
}

TEST(Mistakes, TypesOfNoElementsAreToMpichWhereOneIsForAllButNotBetweenNeighbours) {
  const int types[] = {0, 1};
  EXPECT_EQ(buffer(mpich, memory, 0, 1), Said::type);
  EXPECT_EQ(row(mpich, memory, none, 1), Said::type);
  EXPECT_EQ(row(mpich, memory, none, 1, around), Said::type);
  EXPECT_EQ(buffer(mpich, memory, 0, 1, around), Said::nothing);
  EXPECT_EQ(rows(mpich, memory, none, types), Said::nothing);
}

TEST(Mistakes, TypesOfNoElementsAreToOpenMpiButThoseNotCommittedThatAreReceivedInGathers) {
  const int types[] = {0, 1};
  EXPECT_EQ(buffer(openmpi, memory, 0, 1, around), Said::type);
  EXPECT_EQ(rows(openmpi, memory, none, types), Said::type);
  EXPECT_EQ(row(openmpi, memory, none, 1, gather, End::sent), Said::type);
  EXPECT_EQ(row(openmpi, memory, none, 1, gather, End::received), Said::nothing);
  EXPECT_EQ(row(openmpi, memory, none, 0, gather, End::received), Said::type);
}

TEST(Mistakes, ElementsAtBottomAreToMpich) {
  const int types[] = {2, 4};
  const int second[] = {0, 1};
  EXPECT_EQ(buffer(mpich, nullptr, 1, 2), Said::bottom);
  EXPECT_EQ(buffer(mpich, nullptr, 0, 2), Said::nothing);
  EXPECT_EQ(row(mpich, nullptr, some, 2), Said::bottom);
  EXPECT_EQ(row(mpich, nullptr, second, 2), Said::nothing);  // at displacement 8
  EXPECT_EQ(rows(mpich, nullptr, some, types), Said::bottom);
  EXPECT_EQ(rows(mpich, nullptr, second, types), Said::nothing);
  EXPECT_EQ(buffer(openmpi, nullptr, 1, 2), Said::nothing);
  EXPECT_EQ(row(openmpi, nullptr, some, 2), Said::nothing);
  EXPECT_EQ(rows(openmpi, nullptr, some, types), Said::nothing);
}

TEST(Mistakes, InPlaceWhereItMayNotBeIsToMpichIfThereAreElements) {
  const int types[] = {2, 4};
  EXPECT_EQ(buffer(mpich, &in_place_of_all, 1, 2), Said::buffer);
  EXPECT_EQ(buffer(mpich, &in_place_of_all, 0, 2), Said::nothing);
  EXPECT_EQ(row(mpich, &in_place_of_all, some, 2), Said::buffer);
  EXPECT_EQ(row(mpich, &in_place_of_all, none, 2), Said::nothing);
  EXPECT_EQ(rows(mpich, &in_place_of_all, some, types), Said::buffer);
  EXPECT_EQ(rows(mpich, &in_place_of_all, none, types), Said::nothing);
  EXPECT_EQ(buffer(openmpi, &in_place_of_all, 0, 2), Said::argument);
  EXPECT_EQ(row(openmpi, &in_place_of_all, none, 2), Said::argument);
  EXPECT_EQ(rows(openmpi, &in_place_of_all, none, types), Said::argument);
}

}  // namespace
}  // namespace heddle::engine::mistakes
