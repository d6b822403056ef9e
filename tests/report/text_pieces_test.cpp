#include "report/text_pieces.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <deque>

namespace heddle::report::text_pieces_test {
namespace {

/// Messages from one rank to another.
class Wire {
 public:
  void send(const std::string& text) {
    send_in_pieces(text, [this](const void* bytes, int count) {
      messages_.emplace_back(static_cast<const char*>(bytes), static_cast<std::size_t>(count));
    });
  }
  std::string receive() {
    return received_in_pieces([this](void* bytes, int count) {
      ASSERT_FALSE(messages_.empty());
      ASSERT_EQ(messages_.front().size(), static_cast<std::size_t>(count));
      std::memcpy(bytes, messages_.front().data(), messages_.front().size());
      messages_.pop_front();
    });
  }
  [[nodiscard]] std::size_t under_way() const { return messages_.size(); }

 private:
  std::deque<std::string> messages_;
};

TEST(Pieces, ComeTogetherAgain) {
  Wire wire;
  std::string text;
  for (const std::size_t size : {0, 1, piece - 1, piece, piece + 1, 3 * piece + 7}) {
    while (text.size() < size) text += static_cast<char>('a' + text.size() % 23);
    wire.send(text);
    EXPECT_EQ(wire.under_way(), 1 + (size + piece - 1) / piece) << size;
    EXPECT_EQ(wire.receive(), text) << size;
    EXPECT_EQ(wire.under_way(), 0U) << size;
  }
}

TEST(Pieces, OfTwoTextsAreNotMixed) {
  Wire wire;
  wire.send(std::string(piece, 'x'));
  wire.send("y");
  EXPECT_EQ(wire.receive(), std::string(piece, 'x'));
  EXPECT_EQ(wire.receive(), "y");
}

}  // namespace
}  // namespace heddle::report::text_pieces_test
