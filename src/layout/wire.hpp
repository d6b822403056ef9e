// layout/wire.hpp: a layout as a short string of bytes. A peer uses it to read from or write into
// this process's memory.
//
//   message   version  flags  lower bound  extent  alignment  [origin  node]
//             1 byte   1 byte  z            z       u          z       only if flags say that there are bytes at all
//
//   node      block          0 | length u
//             loop           1 | count u | stride z | node
//             block indexed  2 | n u | n-1 gaps z | node           gap: from one offset to the next, the first is 0
//             indexed        3 | n u | n-1 gaps z | n lengths u
//             struct         4 | n u | node | (gap z | node) n-1 times
//
//   u  unsigned, seven bits a byte, the lowest first, the high bit says that more follow: 300 is ac 02
//   z  signed, folded to unsigned: 0, -1, 1, -2, 2 ... are 0, 1, 2, 3, 4 ...
//   flags      1: the lower bound was set by the user, 2: the upper bound was, 4: bytes follow
//
//   vector(128, 8, 4096, int)   ->   01 04 00 c0 80 fe 01 04 00 01 80 01 80 80 02 00 20      17 bytes
//
// Input is not trusted. Every number is checked before use, no list is longer than the bytes left
// for it, and only rewrite.hpp makes nodes. So a forged message gives an Error or a sound layout,
// at a cost in proportion to its length. Each number has only one form (no padding), so equal
// layouts have equal bytes.
#pragma once

#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "layout/layout.hpp"

namespace heddle::layout::wire {

constexpr std::uint8_t version = 1;
constexpr std::size_t max_bytes = 64 << 20;  ///< Limit of a message that is sent. Packing is better for larger layouts.

/// An error in a message: "byte 12: a list of 9999 offsets in 3 bytes".
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws std::length_error if the message would exceed max_bytes.
std::vector<std::byte> encode(const Layout& layout);

/// Reads one whole message. Throws Error if the bytes are no message, or std::bad_alloc.
Layout decode(std::span<const std::byte> message);

}  // namespace heddle::layout::wire
