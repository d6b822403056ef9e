// The grammar of datatypes builds the written type, and points at mistakes.
#include "layout/grammar.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "layout/pack.hpp"
#include "layout/type_map.hpp"
#include "random_text.hpp"
#include "random_type.hpp"

namespace heddle::layout::grammar::grammar_test {
namespace {

Layout layout_of_text(std::string_view text) { return parse(text)->layout; }

/// Compares all but the canonical program, bounds included.
void expect_equal(const Layout& a, const Layout& b) {
  EXPECT_TRUE(same_bytes(a, b)) << describe(a) << "\n" << describe(b);
  EXPECT_EQ(a.lower_bound(), b.lower_bound());
  EXPECT_EQ(a.extent(), b.extent());
}

/// The message of the error that `text` causes.
std::string complaint(std::string_view text) {
  try {
    parse(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

const Layout int4 = basic(4);
const Layout double8 = basic(8);

TEST(Grammar, EveryConstructorIsTheLayoutOfItsName) {
  const std::vector<Count> lengths = {2, 1}, displacements = {0, 5};
  const std::vector<Bytes> bytes = {0, 20};
  expect_equal(layout_of_text("int"), int4);
  expect_equal(layout_of_text("dup(int)"), int4);
  expect_equal(layout_of_text("contiguous(7, int)"), contiguous(7, int4));
  expect_equal(layout_of_text("vector(128, 8, 4096, int)"), vector(128, 8, 4096, int4));
  expect_equal(layout_of_text("hvector(3, 2, -100, int)"), hvector(3, 2, -100, int4));
  expect_equal(layout_of_text("indexed([2, 1], [0, 5], int)"), indexed(lengths, displacements, int4));
  expect_equal(layout_of_text("hindexed([2, 1], [0, 20], int)"), hindexed(lengths, bytes, int4));
  expect_equal(layout_of_text("indexed_block(2, [0, 5], int)"), indexed_block(2, displacements, int4));
  expect_equal(layout_of_text("hindexed_block(2, [0, 20], int)"), hindexed_block(2, bytes, int4));
  expect_equal(layout_of_text("resized(double, 0, 24)"), resized(double8, 0, 24));
  const std::vector<Layout> members = {int4, double8};
  expect_equal(layout_of_text("struct([2, 1], [0, 20], [int, double])"), structure(lengths, bytes, members));
  const std::vector<Count> sizes = {6, 5}, subsizes = {2, 3}, starts = {1, 2};
  expect_equal(layout_of_text("subarray([6, 5], [2, 3], [1, 2], int)"), subarray(sizes, subsizes, starts, Order::c, int4));
  expect_equal(layout_of_text("subarray([6, 5], [2, 3], [1, 2], int, order=F)"),
               subarray(sizes, subsizes, starts, Order::fortran, int4));
  const std::vector<Distribution> distributions = {Distribution::block, Distribution::cyclic};
  const std::vector<Count> arguments = {default_argument, 2}, grid = {2, 2};
  expect_equal(layout_of_text("darray(4, 3, [6, 5], [block, cyclic(2)], [2, 2], int)"),
               darray(4, 3, sizes, distributions, arguments, grid, Order::c, int4));
}

TEST(Grammar, NamesOfTheStandardAreUnderstood) {
  expect_equal(layout_of_text("MPI_Type_vector(2, 1, 3, MPI_INT)"), vector(2, 1, 3, int4));
  expect_equal(layout_of_text("MPI_Type_create_subarray([4],[2],[1],MPI_DOUBLE,MPI_ORDER_FORTRAN)"),
               layout_of_text("subarray([4],[2],[1],double)"));
  expect_equal(layout_of_text("create_resized(MPI_CHAR, 0, 2)"), resized(basic(1), 0, 2));
  EXPECT_EQ(parse("MPI_2INT")->basic->name, "2int");
  EXPECT_EQ(parse("Float64")->basic->name, "double");
  EXPECT_EQ(layout_of_text("MPI_DOUBLE_INT").extent(), 16);
  EXPECT_EQ(layout_of_text("double_int").size(), 12);
  EXPECT_EQ(layout_of_text("short_int").size(), 6);
  EXPECT_EQ(layout_of_text("short_int").true_extent(), 8);
  for (const BasicType& type : basic_types()) {
    const bool digit_first = type.name[0] >= '0' && type.name[0] <= '9';
    EXPECT_EQ(parse("MPI_" + std::string(type.name))->basic, &type);
    if (!digit_first) {
      EXPECT_EQ(parse(type.name)->basic, &type);
    }
    EXPECT_GT(layout_of(type).size(), 0);
  }
}

TEST(Grammar, AMemberWithoutAPlaceLiesWhereCWouldPutIt) {
  struct Particle {
    char kind;
    double position[3];
    int neighbours[2];
    short flags;
  };
  const TypePtr written = parse("struct(char, 3 double, 2 int, short)");
  EXPECT_EQ(written->lists[1], (std::vector<Count>{0, 8, 32, 40}));
  EXPECT_EQ(written->layout.extent(), Bytes{sizeof(Particle)});
  const TypePtr placed = parse("struct(int @ 0, 2 double @8, vector(2, 1, 2, char) @ -16)");
  EXPECT_EQ(placed->lists[0], (std::vector<Count>{1, 2, 1}));
  EXPECT_EQ(placed->lists[1], (std::vector<Count>{0, 8, -16}));
  expect_equal(layout_of_text("struct(1, [0, 8], [int, double])"), layout_of_text("struct(int @0, double @8)"));
  EXPECT_EQ(layout_of_text("struct()").size(), 0);
}

TEST(Grammar, ListsMayBeAbbreviated) {
  EXPECT_EQ(parse("indexed_block(1, [0:10:3], int)")->lists[0], (std::vector<Count>{0, 3, 6, 9}));
  EXPECT_EQ(parse("indexed_block(1, [3:0:-1], int)")->lists[0], (std::vector<Count>{3, 2, 1}));
  EXPECT_EQ(parse("indexed_block(1, [5:5], int)")->lists[0], (std::vector<Count>{}));
  EXPECT_EQ(parse("indexed_block(1, [0, 2]*3, int)")->lists[0], (std::vector<Count>{0, 2, 0, 2, 0, 2}));
  EXPECT_EQ(parse("indexed_block(1, [7, 2*8:20:2], int)")->lists[0], (std::vector<Count>{7, 16, 18}));
  EXPECT_EQ(parse("indexed(3, [0:20:5], int)")->lists[0], (std::vector<Count>{3, 3, 3, 3}));
  EXPECT_EQ(parse("subarray([8, 8], 4, 0, int)")->lists[1], (std::vector<Count>{4, 4}));
  EXPECT_EQ(parse("contiguous(4*1024, int)")->numbers[0], 4096);
  expect_equal(layout_of_text("indexed_block(8, [0:128*4096:4096], int)"), vector(128, 8, 4096, int4));
  // The ends of the number line.
  EXPECT_EQ(parse("hindexed_block(0, [9223372036854775800:9223372036854775807:5], int)")->lists[0].size(), 2u);
  EXPECT_EQ(complaint("hindexed_block(0, [-9223372036854775808:9223372036854775807], int)"),
            "column 20: more than 1048576 numbers in lists");
}

TEST(Grammar, SpaceDoesNotMatter) {
  expect_equal(layout_of_text(" vector (\n\t2 ,1,\r\n 3,int ) "), layout_of_text("vector(2,1,3,int)"));
}

TEST(Grammar, ErrorsSayWhereAndWhat) {
  EXPECT_EQ(complaint(""), "column 1: expected a type, found the end");
  EXPECT_EQ(complaint("vector(1, 2, )"), "column 14: expected a number, found ')'");
  EXPECT_EQ(complaint("vector(1, 2, 3, )"), "column 17: expected a type, found ')'");
  EXPECT_EQ(complaint("vectr(1, 2, 3, int)"), "column 1: expected a type, found 'vectr'; did you mean vector?");
  EXPECT_EQ(complaint("contiguous(3, MPI_DUBLE)"), "column 15: expected a type, found 'MPI_DUBLE'; did you mean double?");
  EXPECT_EQ(complaint("itn"), "column 1: expected a type, found 'itn'; did you mean int?");
  EXPECT_EQ(complaint("contiguous(3, teapot)"), "column 15: expected a type, found 'teapot'");
  EXPECT_EQ(complaint("contiguous(3 int)"), "column 14: expected ',', found 'int'");
  EXPECT_EQ(complaint("vector(3, 1, 2)"), "column 15: the type of the elements is missing, such as ', int'");
  EXPECT_EQ(complaint("int)"), "column 4: expected the end of the description, found ')'");
  EXPECT_EQ(complaint("contiguous(-1, int)"), "column 12: the count must be at least 0");
  EXPECT_EQ(complaint("indexed([1, 2], [0], int)"), "column 9: 2 block lengths for 1 displacements");
  EXPECT_EQ(complaint("indexed([1, -2], [0, 1], int)"), "column 9: block lengths must be at least 0");
  EXPECT_EQ(complaint("indexed(1, 2, int)"), "column 12: expected a list of displacements such as [0, 4, 8], found '2'");
  EXPECT_EQ(complaint("indexed_block(1, [0:9:0], int)"), "column 23: a range needs a step that is not 0");
  EXPECT_EQ(complaint("subarray([4, 4], [2, 3], [1, 2], int)"),
            "column 26: the box leaves the array in dimension 1: start 2, subsize 3, size 4");
  EXPECT_EQ(complaint("subarray([4], [2], [1], int, order=X)"), "column 30: expected order=C or order=F");
  EXPECT_EQ(complaint("struct([1], [0], [])"), "column 18: 0 types for 1 displacements");
  EXPECT_EQ(complaint("darray(4, 4, [8], [block], [4], int)"), "column 11: there is no rank 4 among 4");
  EXPECT_EQ(complaint("darray(4, 0, [8], [blok], [4], int)"), "column 20: expected block, cyclic or none, found 'blok'");
  EXPECT_EQ(complaint("int\x01"), "column 4: expected the end of the description, found a character that is not plain text");
  EXPECT_EQ(complaint(std::string_view("int\0", 4)),
            "column 4: expected the end of the description, found a character that is not plain text");
  EXPECT_EQ(complaint("dup"), "column 4: expected '(', found the end");
}

TEST(Grammar, AConstructorThatRefusesIsBlamedWhereItStands) {
  EXPECT_EQ(complaint("dup(darray(4, 0, [8], [none], [4], int))"),
            "column 5: darray: an undistributed dimension needs one process");
  EXPECT_EQ(complaint("dup(contiguous(2*4611686018427387903, int))").substr(0, 22), "column 5: contiguous: ");
  EXPECT_EQ(complaint("contiguous(4611686018427387904*2, int)"), "column 12: this product does not fit 64 bits");
  EXPECT_EQ(complaint("contiguous(99999999999999999999, int)"), "column 12: this number does not fit 64 bits");
  EXPECT_EQ(complaint("resized(int, 0, 9223372036854775807)"), "column 14: bounds beyond 2^61 bytes");
}

TEST(Grammar, NeitherDepthNorLengthIsWithoutLimit) {
  std::string deep = "int";
  for (int i = 0; i < max_depth; ++i) deep = "dup(" + deep + ")";
  EXPECT_NO_THROW(parse(deep));
  EXPECT_EQ(complaint("dup(" + deep + ")"), "column 257: types nested deeper than 64");
  std::string endless;
  for (int i = 0; i < 100000; ++i) endless += "dup(";
  EXPECT_EQ(complaint(endless), "column 257: types nested deeper than 64");
  EXPECT_EQ(complaint(std::string(max_text + 1, ' ')), "column 1048577: the description is longer than 1 MiB");
  EXPECT_EQ(complaint("indexed_block(1, [0]*9223372036854775807, int)"), "column 18: more than 1048576 numbers in lists");
  EXPECT_EQ(complaint("struct(1, [0]*600000, [int]*1)"), "column 23: 1 types for 600000 displacements");
}

TEST(Grammar, AFewLinesDoNotUnfoldToMoreThanMemoryHolds) {
  // Irregular lists of irregular lists, five deep: 60^5 parts if they were written out.
  std::string text = "struct(char @0, int @8, vector(30, 1, 20, double) @64)";
  std::uint64_t random = 1, scale = 3000;
  for (int level = 0; level < 5; ++level, scale *= 100) {
    std::string displacements;
    for (int i = 0; i < 60; ++i) {
      random = random * 6364136223846793005u + 1442695040888963407u;
      displacements += (i ? ", " : "") + std::to_string((static_cast<std::uint64_t>(i) * 1000 + random % 997) * scale);
    }
    text = "hindexed([[ONES], 2], [" + displacements + "], " + text + ")";
    text.replace(text.find("[[ONES]"), 7, "[1");
    std::string ones;
    for (int i = 0; i < 58; ++i) ones += ", 1";
    text.insert(text.find(", 2]"), ones);
  }
  const TypePtr type = parse(text);
  EXPECT_EQ(type->lists[0].size(), 60u);
  EXPECT_EQ(type->layout.size(), Bytes{61} * 61 * 61 * 61 * 61 * 245);
  EXPECT_FALSE(describe(type->layout).empty());
}

TEST(Grammar, TheCaretStandsUnderThePlace) {
  const std::string text = "vector(128, 8, 4096, itn)";
  try {
    parse(text);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.column(), 22u);
    EXPECT_EQ(error.pointed(text), "vector(128, 8, 4096, itn)\n                     ^");
  }
  const std::string far = "contiguous(1, " + std::string(500, ' ') + "itn)";
  try {
    parse(far);
    FAIL();
  } catch (const Error& error) {
    const std::string picture = error.pointed(far);
    EXPECT_LE(picture.find('\n'), 100u);
    EXPECT_EQ(picture.find("itn"), picture.size() - 1 - picture.find('\n') - 1);
  }
}

TEST(TypeMap, ListsOffsetsAndNamesInPackedOrder) {
  const TypePtr pair = parse("vector(2, 1, 2, double_int)");
  const TypeMap map = type_map(*pair, 1, 100);
  EXPECT_EQ(map.total, 4);
  EXPECT_EQ(map.entries, (std::vector<Entry>{{0, 8, "double"}, {8, 4, "int"}, {32, 8, "double"}, {40, 4, "int"}}));
  EXPECT_EQ(type_map(*pair, 3, 2).total, 12);
  EXPECT_EQ(type_map(*pair, 3, 2).entries.size(), 2u);
  EXPECT_EQ(type_map(*parse("contiguous(4611686018427387904, contiguous(0, int))"), 1, 10).total, 0);
  EXPECT_EQ(type_map(*parse("contiguous(1000000000000, int)"), 1, 10).total, 1000000000000);
}

/// The packed stream by the type map alone: pairs of (byte offset), in order.
std::vector<Bytes> bytes_of(const TypeMap& map) {
  std::vector<Bytes> bytes;
  for (const Entry& entry : map.entries) {
    for (Bytes i = 0; i < entry.length; ++i) bytes.push_back(entry.offset + i);
  }
  return bytes;
}

TEST(Grammar, PackFollowsTheTypeMapWhateverTheType) {
  EXPECT_TRUE(rc::check("pack gathers the bytes of the type map, in its order", [] {
    const std::string text = *test::random_type(3);
    RC_LOG(text);
    const TypePtr type = parse(text);
    const Count count = *rc::gen::inRange<Count>(0, 4);
    const TypeMap map = type_map(*type, count, 4096);
    RC_PRE(map.total <= 4096);
    const std::vector<Bytes> bytes = bytes_of(map);
    RC_ASSERT(static_cast<Bytes>(bytes.size()) == type->layout.size() * count);
    if (bytes.empty()) return;
    const auto [low, high] = std::minmax_element(bytes.begin(), bytes.end());
    RC_PRE(*high - *low < 1 << 22);
    std::vector<unsigned char> memory(static_cast<std::size_t>(*high - *low + 1));
    std::uint32_t state = 12345;
    for (unsigned char& byte : memory) byte = static_cast<unsigned char>((state = state * 1664525 + 1013904223) >> 24);
    std::vector<unsigned char> expected, packed(bytes.size());
    for (const Bytes byte : bytes) expected.push_back(memory[static_cast<std::size_t>(byte - *low)]);
    pack(type->layout, count, memory.data() - *low, packed.data());
    RC_ASSERT(packed == expected);
  }));
}

TEST(Grammar, ListsAreWrittenShortly) {
  EXPECT_EQ(to_string(*parse("indexed_block(1, [0, 4, 8, 12, 16], int)")), "indexed_block(1, [0:20:4], int)");
  EXPECT_EQ(to_string(*parse("indexed_block(1, [3, 2, 1, 0, 7], int)")), "indexed_block(1, [3:-1:-1, 7], int)");
  EXPECT_EQ(to_string(*parse("indexed(2, [0, 9, 11, 40, 50], int)")), "indexed([2]*5, [0, 9, 11, 40, 50], int)");
  EXPECT_EQ(to_string(*parse("indexed_block(1, [0, 9, 4]*1000, int)")), "indexed_block(1, [0, 9, 4]*1000, int)");
  EXPECT_EQ(to_string(*parse("indexed_block(1, [], int)")), "indexed_block(1, [], int)");
}

TEST(Grammar, TextBuildsWhatTheConstructorsBuild) {
  EXPECT_TRUE(rc::check("the layout and the type map of a description are those of the calls it names",
                        [](const test::Choices& choices) {
                          const test::Sample sample = test::random_type(choices);
                          RC_LOG(sample.text);
                          const TypePtr type = parse(sample.text);
                          RC_ASSERT(same_bytes(type->layout, sample.layout));
                          RC_ASSERT(type->layout.lower_bound() == sample.layout.lower_bound());
                          RC_ASSERT(type->layout.extent() == sample.layout.extent());
                          std::vector<Segment> map;
                          for (const Entry& entry : type_map(*type, 1, sample.map.size() + 1).entries)
                            map.push_back({entry.offset, entry.length});
                          RC_ASSERT(map == sample.map);
                        }));
}

TEST(Grammar, WritingAndReadingGivesTheSameType) {
  EXPECT_TRUE(rc::check("parse(to_string(t)) is t", [] {
    const TypePtr type = parse(*test::random_type(4));
    const std::string text = to_string(*type);
    const TypePtr again = parse(text);
    RC_ASSERT(to_string(*again) == text);
    RC_ASSERT(same_bytes(type->layout, again->layout));
    RC_ASSERT(type->layout.extent() == again->layout.extent());
    RC_ASSERT(type->elements == again->elements);
  }));
}

TEST(Grammar, ALayoutIsWrittenAsItIs) {
  const auto again = [](std::string_view text, std::string_view element = "byte") {
    return written(layout_of_text(text), element);
  };
  EXPECT_EQ(again("vector(128, 8, 4096, int)"), "hvector(128, 32, 16384, byte)");
  EXPECT_EQ(again("vector(128, 8, 4096, int)", "int"), "hvector(128, 8, 16384, int)");
  EXPECT_EQ(again("vector(128, 8, 4096, int)", "MPI_INT"), "hvector(128, 8, 16384, int)");
  EXPECT_EQ(again("vector(128, 1, 4096, int)", "double"), "hvector(128, 4, 16384, byte)") << "no whole doubles";
  EXPECT_EQ(again("struct(int, 2 double @ 16)"), "hindexed([4, 16], [0, 16], byte)");
  EXPECT_EQ(again("subarray([8, 8], [3, 4], [2, 1], int)", "int"),
            "resized(hindexed_block(1, [68], hvector(3, 4, 32, int)), 0, 256)");
  EXPECT_EQ(again("int", "int"), "int");
  EXPECT_EQ(again("contiguous(3, int)", "int"), "contiguous(3, int)");
  EXPECT_EQ(again("contiguous(0, int)"), "contiguous(0, byte)");
}

TEST(Grammar, WhatIsWrittenOfALayoutDescribesIt) {
  EXPECT_TRUE(rc::check("parse(written(layout)) has the bytes and the bounds of the layout", [](const test::Choices& choices) {
    const Layout layout = test::random_type(choices).layout;
    const std::string element = *rc::gen::elementOf(std::vector<std::string>{"byte", "short", "int", "double", "no such"});
    const std::string text = written(layout, element);
    RC_LOG(text);
    const Layout again = parse(text)->layout;
    RC_ASSERT(same_bytes(again, layout));
    RC_ASSERT(again.lower_bound() == layout.lower_bound());
    RC_ASSERT(again.extent() == layout.extent());
  }));
}

}  // namespace
}  // namespace heddle::layout::grammar::grammar_test
