#include "report/printable.hpp"

#include <gtest/gtest.h>

#include <string>

namespace heddle::report::printable_test {
namespace {

TEST(Printable, TextStaysAsItIs) {
  EXPECT_EQ(printable(""), "");
  EXPECT_EQ(printable("face of the lattice, 3 × 4 µs, 格子, 🙂"), "face of the lattice, 3 × 4 µs, 格子, 🙂");
}

TEST(Printable, ATerminalObeysNothing) {
  EXPECT_EQ(printable("a\x1b[2Jb"), "a\\x1b[2Jb");
  EXPECT_EQ(printable("two\nlines\r\t\x7f"), "two\\x0alines\\x0d\\x09\\x7f");
  EXPECT_EQ(printable("\xc2\x9b"
                      "2J"),
            "\\x9b2J")
      << "a control character of 8 bits in UTF-8";
  EXPECT_EQ(printable("\u202eesrever\u2066\u200f\u2028"), "\\u202eesrever\\u2066\\u200f\\u2028");
  EXPECT_EQ(printable(std::string("a\0b", 3)), "a\\x00b");
}

TEST(Printable, BytesThatAreNotUtf8AreSpelledOut) {
  EXPECT_EQ(printable("\x9b"
                      "2J"),
            "\\x9b2J");
  EXPECT_EQ(printable("\xe2\x80"), "\\xe2\\x80") << "cut off";
  EXPECT_EQ(printable("\xc0\x9b"), "\\xc0\\x9b") << "a longer form of a control character";
  EXPECT_EQ(printable("\xff\xfe"), "\\xff\\xfe");
  EXPECT_EQ(printable("\xe0\x80\xaf"), "\\xe0\\x80\\xaf") << "a longer form";
  EXPECT_EQ(printable("\xf0\x80\x80\x9b"), "\\xf0\\x80\\x80\\x9b") << "a longer form";
  EXPECT_EQ(printable("\xed\xa0\x80"), "\\xed\\xa0\\x80") << "half of a pair of UTF-16";
  EXPECT_EQ(printable("\xf4\x90\x80\x80"), "\\xf4\\x90\\x80\\x80") << "beyond Unicode";
}

}  // namespace
}  // namespace heddle::report::printable_test
