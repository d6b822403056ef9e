// Any text gives a type or an Error, nothing else. A type can be written, drawn and packed a
// little.
#include <cstdlib>

#include "fuzz.hpp"
#include "layout/cursor.hpp"
#include "layout/pack.hpp"
#include "layout/shape.hpp"
#include "layout/type_map.hpp"
#include "layout/wire.hpp"

using namespace heddle::layout;

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

/// Packs and unpacks small types, and compares them with the type map byte by byte.
void pack_and_unpack(const Layout& layout, const TypeMap& map) {
  constexpr Bytes page = 4096;  // kernels may read all of a page with a byte of the type
  const Bytes low = layout.true_lower_bound(), span = layout.true_extent();
  if (span > 1 << 16 || layout.size() == 0) return;
  std::vector<std::byte> memory(static_cast<std::size_t>(span + 2 * page)), packed(static_cast<std::size_t>(layout.size()));
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<std::byte>(i * 167 + i / 256);
  const auto at = [low](Bytes offset) { return static_cast<std::size_t>(page + offset - low); };
  pack(layout, 1, memory.data() + page - low, packed.data());

  std::vector<std::byte> unpacked(memory.size()), expected(memory.size());
  std::size_t next = 0;
  for (const Entry& entry : map.entries) {
    for (Bytes i = 0; i < entry.length; ++i, ++next) {
      require(packed[next] == memory[at(entry.offset + i)]);
      expected[at(entry.offset + i)] = packed[next];
    }
  }
  unpack(layout, 1, unpacked.data() + page - low, packed.data());
  require(unpacked == expected);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  grammar::TypePtr type;
  try {
    type = grammar::parse(text);
  } catch (const grammar::Error& error) {
    if (error.pointed(text).empty()) std::abort();
    return 0;
  }
  const Layout& layout = type->layout;
  const std::string plain = grammar::to_string(*type);
  if (plain.size() <= grammar::max_text) {  // irregular lists may have been written more shortly by the fuzzer
    const grammar::TypePtr again = grammar::parse(plain);
    if (!same_bytes(layout, again->layout) || layout.extent() != again->layout.extent()) std::abort();
  }

  // The type map and the canonical program agree, entry by entry.
  const TypeMap map = type_map(*type, 1, 256);
  Cursor cursor(layout, 1);
  for (const Entry& entry : map.entries) {
    for (Bytes done = 0; done < entry.length;) {
      const Segment piece = cursor.next(entry.length - done);
      if (piece.length == 0 || piece.offset != entry.offset + done) std::abort();
      done += piece.length;
    }
  }
  describe(layout);
  shape(layout);
  if (map.total <= static_cast<Count>(map.entries.size())) pack_and_unpack(layout, map);
  return 0;
}

std::vector<std::string> fuzz_seeds() {
  return {
      "vector(128, 8, 4096, int)",
      "contiguous(3, MPI_DOUBLE_INT)",
      "hvector(3, 2, -100, resized(double, -8, 24))",
      "indexed([2, 1, 4], [0, 5, 9], int)",
      "hindexed(2, [0:400:40], dup(char))",
      "indexed_block(3, [0, 10, 4]*3, short_int)",
      "struct([2, 1], [0, 20], [int, double])",
      "struct(char, 3 double, 2 int @ 64, vector(2, 1, 2, char) @ -16)",
      "subarray([6, 5, 4], [2, 3, 4], [1, 2, 0], int, order=F)",
      "darray(4, 3, [6, 5], [block, cyclic(2)], [2, 2], int)",
      "darray(6, 5, [60, 7, 9], [cyclic(3), none, block(5)], [3, 1, 2], contiguous(2, float), order=F)",
      "struct(4 vector(3, 2, 5, indexed([1, 2], [0, 4], double)), 2 int, hindexed_block(1, [8, 0], long))",
  };
}

std::vector<std::string> fuzz_words() {
  std::vector<std::string> words = {"[",
                                    "]",
                                    "(",
                                    ")",
                                    ",",
                                    ":",
                                    "*",
                                    "@",
                                    "-",
                                    "0",
                                    "1",
                                    "64",
                                    "4611686018427387904",
                                    "9223372036854775807",
                                    "-9223372036854775808",
                                    "1048576",
                                    "int",
                                    "double_int",
                                    "[0:9:2]",
                                    "block",
                                    "cyclic",
                                    "none",
                                    "order=F",
                                    "[0]*1000",
                                    "struct()"};
  for (const std::string& seed : fuzz_seeds()) words.push_back(seed);
  return words;
}
