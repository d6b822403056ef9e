// select/choose_file_access.hpp: whether Heddle carries out a collective access to a file, or packs
// the data of any access, and why. Pure: no clock, no globals. All ranks decide by the same facts
// about a collective access.
//
//   const FileAccess facts{.writes = true, .holes = true, .bytes = 1 << 25, .range = 1 << 25};
//   if (carries(facts)) ...                                         // owners access long pieces of the file
//   if (is_independent(facts)) ...                                  // each rank accesses its own piece
//   puts(why(facts).c_str());                                       // the reason in words
//   if (packs({.bytes = 1 << 20, .mean_block = 8, .below = 512})) ...   // the library gets one piece of memory
//
// A library reads and writes data in one piece as fast as the file system allows. Its collective
// buffering redistributes data with holes block by block.
#pragma once

#include <string>

#include "layout/bytes.hpp"

namespace heddle::select {

/// Libraries are as fast for fewer bytes.
constexpr layout::Bytes least_file_access = layout::Bytes{1} << 18;

struct FileAccess {
  bool writes = false;
  bool fits = true;          ///< All ranks' arguments are right, and Heddle knows their types.
  bool holes = false;        ///< The bytes of some rank are several pieces of the file.
  bool buffered = false;     ///< The user asks for the library's collective buffering of all data.
  layout::Bytes bytes = 0;   ///< Of all ranks together.
  layout::Bytes range = 0;   ///< From the first byte of the file that a rank accesses to the last.
  layout::Bytes beyond = 0;  ///< Bytes of this range that lie beyond the end of the file.
  layout::Bytes least = 0;   ///< least_file_access; 0: Heddle carries little data, too.
};

constexpr bool carries(const FileAccess& access) noexcept {
  if (!access.fits || !access.holes || access.bytes <= 0 || access.bytes < access.least) return false;
  // Another process may write the bytes that no rank writes. A read may read them, too.
  return access.writes ? access.bytes == access.range : access.beyond <= 0 && access.range / 2 <= access.bytes;
}

/// Each rank may access its piece by itself.
constexpr bool is_independent(const FileAccess& access) noexcept {
  return access.fits && !access.holes && !access.buffered && access.beyond <= 0;
}

std::string why(const FileAccess& access);

/// An access of one rank: one piece of the file, several pieces of memory.
struct PackedFileAccess {
  layout::Bytes bytes = 0;
  double mean_block = 0;    ///< Bytes of a piece of memory.
  layout::Bytes below = 0;  ///< The library is slow for smaller pieces (HostTraits::slow_to_file_below).
};

/// Fewer bytes are too few to gain, and more take too much memory.
constexpr layout::Bytes least_packed_for_file = 512;
constexpr layout::Bytes most_packed_for_file = layout::Bytes{64} << 20;

constexpr bool packs(const PackedFileAccess& access) noexcept {
  return access.bytes >= least_packed_for_file && access.bytes <= most_packed_for_file &&
         access.mean_block < static_cast<double>(access.below);
}

/// The reason, if packs() is true.
std::string why(const PackedFileAccess& access);

}  // namespace heddle::select
