// Any bytes give a layout or an Error, nothing else. A layout that was read can be written, and
// then reads the same.
#include <cstdlib>

#include "fuzz.hpp"
#include "layout/cursor.hpp"
#include "layout/grammar.hpp"
#include "layout/shape.hpp"
#include "layout/wire.hpp"

using namespace heddle::layout;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Layout layout;
  try {
    layout = wire::decode({reinterpret_cast<const std::byte*>(data), size});
  } catch (const wire::Error&) {
    return 0;
  }
  const Layout again = wire::decode(wire::encode(layout));
  if (!same_bytes(layout, again) || layout.extent() != again.extent()) std::abort();

  describe(layout);
  shape(layout);
  Cursor cursor(layout, 1);
  for (int i = 0; i < 64 && !cursor.done(); ++i) {
    const Segment piece = cursor.next();
    if (piece.length <= 0 || piece.offset < layout.true_lower_bound() ||
        piece.offset + piece.length > layout.true_lower_bound() + layout.true_extent()) {
      std::abort();
    }
  }
  if (layout.size() > 0) {
    cursor.seek(layout.size() - 1);
    if (cursor.next().length < 1 || !cursor.done()) std::abort();
  }
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  std::vector<std::string> seeds;
  for (const char* text : {"int", "vector(128, 8, 4096, int)", "contiguous(64, resized(vector(64, 1, 64, double), 0, 8))",
                           "indexed([2, 1, 4, 3], [0, 5, 9, 40], int)", "indexed_block(3, [0, 10, 4, 31], short_int)",
                           "struct(char, 3 double, 2 int @ 64, vector(20, 1, 2, char) @ -16)",
                           "subarray([6, 5, 4], [2, 3, 3], [1, 2, 0], int, order=F)",
                           "struct(4 vector(3, 2, 5, indexed([1, 2], [0, 4], double)), 2 int, hindexed_block(1, [8, 0], long))",
                           "resized(contiguous(0, int), -4, 8)"}) {
    const std::vector<std::byte> message = wire::encode(grammar::parse(text)->layout);
    seeds.emplace_back(reinterpret_cast<const char*>(message.data()), message.size());
  }
  return seeds;
}

std::vector<std::string> fuzz_words() {
  const auto bytes = [](std::initializer_list<int> values) {
    std::string word;
    for (const int value : values) word.push_back(static_cast<char>(value));
    return word;
  };
  return {bytes({0, 8}),
          bytes({1, 2, 16}),
          bytes({1, 100, 64}),
          bytes({2, 3, 8, 24}),
          bytes({3, 2, 8, 1, 2}),
          bytes({4, 2}),
          bytes({0x80, 0x01}),
          bytes({0xff, 0xff, 0xff, 0xff, 0x0f}),
          bytes({1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x08}),
          bytes({0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1})};
}
