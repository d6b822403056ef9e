// An MPI library whose datatypes are numbers. Those below 10 are predefined. All others are handles
// that must be freed.
#include "layout/decoder.hpp"

#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <climits>
#include <map>
#include <vector>

namespace heddle::layout::decoder_test {
namespace {

struct Library {
  struct Type {
    Made made;
    std::vector<int> olds;
    Bounds bounds;
  };
  std::map<int, Type> types;
  std::map<int, Decoded<int>> known;
  std::vector<int> told, freed;
};

struct Host {
  using Type = int;
  static constexpr Numerals numerals{};
  Library* library;

  [[nodiscard]] std::optional<Decoded<int>> known(int type) const {
    const auto found = library->known.find(type);
    return found != library->known.end() ? std::optional(found->second) : std::nullopt;
  }
  [[nodiscard]] Told<int> tell(int type) const {
    library->told.push_back(type);
    if (type < 10) return {.basic = Decoded<int>{basic(type), one(type, type)}};
    const auto found = library->types.find(type);
    if (found == library->types.end()) throw CannotDecode("nobody knows it");
    Told<int> told{.made = found->second.made, .olds = found->second.olds};
    for (const int old : told.olds)
      if (old >= 10) told.given.push_back(old);
    return told;
  }
  [[nodiscard]] Bounds bounds(int type) const { return library->types.at(type).bounds; }
  void free(int type) const noexcept { library->freed.push_back(type); }
};

Made vector_of(Count count) { return {.by = Constructor::vector, .numbers = {count, 1, 2}}; }

TEST(Decoder, GoesDownToPredefinedTypes) {
  Library library;
  library.types[20] = {vector_of(3), {8}, {0, 40}};
  library.types[21] = {{.by = Constructor::contiguous, .numbers = {2}}, {20}, {0, 80}};
  {
    Decoder decoder(Host{&library});
    const Decoded<int> found = decoder.decode(21);
    EXPECT_EQ(found.layout.size(), 48);
    EXPECT_EQ(found.layout.extent(), 80);
    EXPECT_EQ(found.signature.first, 8);
    EXPECT_EQ(found.signature.elements, 6);
    EXPECT_TRUE(library.freed.empty()) << "no new type may take the number of one that is remembered";
  }
  EXPECT_EQ(library.freed, std::vector{20}) << "what was given out, and nothing else";
}

TEST(Decoder, TakesTheBoundsOfEachLevelFromTheLibrary) {
  Library library;
  library.types[20] = {{.by = Constructor::contiguous, .numbers = {2}}, {8}, {-8, 64}};
  const Decoded<int> found = Decoder(Host{&library}).decode(20);
  EXPECT_EQ(found.layout.lower_bound(), -8);
  EXPECT_EQ(found.layout.extent(), 64);
}

TEST(Decoder, AsksForEachTypeOnce) {
  Library library;
  library.types[20] = {vector_of(3), {8}, {0, 40}};
  library.types[21] = {{.by = Constructor::structure, .numbers = {3, 1, 1, 1, 0, 100, 200}}, {20, 20, 8}, {0, 208}};
  const Decoded<int> found = Decoder(Host{&library}).decode(21);
  EXPECT_EQ(found.layout.size(), 56);
  EXPECT_EQ(library.told, (std::vector{21, 20, 8}));
  EXPECT_EQ(library.freed, (std::vector{20, 20})) << "each handle that it was given";
}

TEST(Decoder, BelievesWhatWasDecodedBefore) {
  Library library;
  library.known[20] = {vector(3, 1, 2, basic(8)), repeated(one(8, 8), 3)};
  library.types[21] = {{.by = Constructor::dup}, {20}, {0, 40}};
  EXPECT_EQ(Decoder(Host{&library}).decode(21).layout.size(), 24);
  EXPECT_EQ(library.told, std::vector{21});
}

/// The stack has 64 KiB, as stacks of fibres have.
TEST(Decoder, GoesAsDeepAsTypesAreNested) {
  Library library;
  constexpr int depth = 20000;
  library.types[10] = {vector_of(3), {8}, {0, 40}};
  for (int i = 11; i < 10 + depth; ++i) library.types[i] = {{.by = Constructor::dup}, {i - 1}, {0, 40}};
  const auto decode = [](void* types) -> void* {
    auto* const all = static_cast<Library*>(types);
    EXPECT_EQ(Decoder(Host{all}).decode(9 + depth).layout.size(), 24);
    return nullptr;
  };
  pthread_attr_t small;
  pthread_attr_init(&small);
  ASSERT_EQ(pthread_attr_setstacksize(&small, std::max<std::size_t>(64 << 10, PTHREAD_STACK_MIN)), 0);
  pthread_t thread{};
  ASSERT_EQ(pthread_create(&thread, &small, decode, &library), 0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&small);
  EXPECT_EQ(library.freed.size(), depth - 1U);
}

TEST(Decoder, FreesWhatItHasBeenGivenWhenSomethingIsStrange) {
  Library library;
  library.types[21] = {{.by = Constructor::dup}, {22}, {0, 8}};
  EXPECT_THROW(Decoder(Host{&library}).decode(21), CannotDecode);
  EXPECT_EQ(library.freed, std::vector{22});
}

}  // namespace
}  // namespace heddle::layout::decoder_test
