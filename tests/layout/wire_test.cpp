// The wire form comes back as it went out, and forged forms are refused.
#include "layout/wire.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "layout/grammar.hpp"
#include "random_text.hpp"
#include "random_type.hpp"

namespace heddle::layout::wire::wire_test {
namespace {

using Message = std::vector<std::byte>;

Message bytes(std::initializer_list<int> values) {
  Message message;
  for (const int value : values) message.push_back(static_cast<std::byte>(value));
  return message;
}

std::string complaint(const Message& message) {
  try {
    decode(message);
  } catch (const Error& error) {
    return error.what();
  }
  return "none";
}

bool identical(const Layout& a, const Layout& b) {
  return same_bytes(a, b) && a.size() == b.size() && a.lower_bound() == b.lower_bound() && a.extent() == b.extent() &&
         a.alignment() == b.alignment() && a.marks().lower == b.marks().lower && a.marks().upper == b.marks().upper;
}

TEST(Wire, TheExampleOfTheManual) {
  const Layout rows = grammar::parse("vector(128, 8, 4096, int)")->layout;
  const Message message =
      bytes({0x01, 0x04, 0x00, 0xc0, 0x80, 0xfe, 0x01, 0x04, 0x00, 0x01, 0x80, 0x01, 0x80, 0x80, 0x02, 0x00, 0x20});
  EXPECT_EQ(encode(rows), message);
  EXPECT_TRUE(identical(decode(message), rows));
}

TEST(Wire, NothingIsSomethingToo) {
  for (const char* text : {"contiguous(0, int)", "resized(contiguous(0, int), -8, 64)", "struct()"}) {
    const Layout empty = grammar::parse(text)->layout;
    EXPECT_TRUE(identical(decode(encode(empty)), empty)) << text;
  }
  EXPECT_TRUE(identical(decode(encode(Layout())), Layout()));
}

TEST(Wire, WhatGoesOutComesBack) {
  EXPECT_TRUE(rc::check("decode(encode(l)) is l", [](const test::Choices& choices) {
    const test::Sample sample = test::random_type(choices);
    RC_LOG(sample.text);
    const Message message = encode(sample.layout);
    const Layout back = decode(message);
    RC_ASSERT(identical(back, sample.layout));
    RC_ASSERT(encode(back) == message);
  }));
  EXPECT_TRUE(rc::check("the same for distributed arrays and pairs", [] {
    const std::string text = *test::random_type(5);
    RC_LOG(text);
    const Layout layout = grammar::parse(text)->layout;
    const Message message = encode(layout);
    RC_ASSERT(identical(decode(message), layout));
    RC_ASSERT(encode(decode(message)) == message);
  }));
}

TEST(Wire, EveryPrefixAndEveryTailIsRefused) {
  EXPECT_TRUE(rc::check("a message is neither shorter nor longer than it is", [](const test::Choices& choices) {
    Message message = encode(test::random_type(choices).layout);
    for (std::size_t n = 0; n < message.size(); ++n) {
      RC_ASSERT_THROWS_AS(decode(std::span(message).first(n)), Error);
    }
    message.push_back(std::byte{0});
    RC_ASSERT_THROWS_AS(decode(message), Error);
  }));
}

TEST(Wire, FlippedBytesGiveAnErrorOrASoundLayout) {
  EXPECT_TRUE(
      rc::check("never a crash", [](const test::Choices& choices, std::vector<std::pair<std::uint16_t, std::uint8_t>> flips) {
        Message message = encode(test::random_type(choices).layout);
        for (const auto& [place, value] : flips) message[place % message.size()] = std::byte{value};
        try {
          const Layout layout = decode(message);
          RC_ASSERT(identical(decode(encode(layout)), layout));
        } catch (const Error&) {
        }
      }));
}

TEST(Wire, ForgedMessagesAreNamed) {
  EXPECT_EQ(complaint({}), "byte 0: the message ends too early");
  EXPECT_EQ(complaint(bytes({2})), "byte 1: wire form version 2, this build reads 1");
  EXPECT_EQ(complaint(bytes({1, 8, 0, 0, 1})), "byte 2: unknown flags");
  EXPECT_EQ(complaint(bytes({1, 0, 0, 0, 0})), "byte 5: the alignment below 1");
  EXPECT_EQ(complaint(bytes({1, 0, 0x80, 0, 0, 1})), "byte 4: a number with padding");
  EXPECT_EQ(complaint(bytes({1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2})),
            "byte 12: a number of more than 64 bits");
  EXPECT_EQ(complaint(bytes({1, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})),
            "byte 12: the lower bound beyond 2^61");
  EXPECT_EQ(complaint(bytes({1, 4, 0, 0, 1, 0, 9})), "byte 7: no node is of kind 9");
  EXPECT_EQ(complaint(bytes({1, 4, 0, 0, 1, 0, 0, 0})), "byte 8: a block length below 1");
  EXPECT_EQ(complaint(bytes({1, 4, 0, 0, 1, 0, 1, 1, 0, 0, 1})), "byte 8: a loop count below 2");
  EXPECT_EQ(complaint(bytes({1, 4, 0, 0, 1, 0, 0, 1, 0})), "byte 8: 1 bytes too many");

  // A list of 2^40 offsets claimed in a message of a few bytes.
  EXPECT_EQ(complaint(bytes({1, 4, 0, 0, 1, 0, 2, 0x80, 0x80, 0x80, 0x80, 0x80, 0x20, 0, 1})),
            "byte 13: a list of 1099511627776 items in 2 bytes");
  // Loops of 2^60 of 2^60 bytes: the size does not fit.
  EXPECT_EQ(complaint(bytes({1,    4, 0, 0,    1,    0,    1,    0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80,
                             0x10, 4, 1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x10, 4,    0,    1}))
                    .find("overflow") != std::string::npos,
            true);
  // A thousand loops within loops.
  Message deep = bytes({1, 4, 0, 0, 1, 0});
  for (int i = 0; i < 1000; ++i) {
    for (const int value : {1, 2, 2}) deep.push_back(static_cast<std::byte>(value));
  }
  EXPECT_EQ(complaint(deep), "byte 102: nodes nested too deeply");
}

TEST(Wire, RegularTypesAreShort) {
  EXPECT_LE(encode(grammar::parse("subarray([1024, 1024, 1024], [64, 64, 64], [5, 6, 7], double)")->layout).size(), 32u);
  EXPECT_LE(encode(grammar::parse("indexed_block(1, [0:1000000:7], double)")->layout).size(), 24u);
}

}  // namespace
}  // namespace heddle::layout::wire::wire_test
