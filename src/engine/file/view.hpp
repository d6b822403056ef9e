// engine/file/view.hpp: a rank's view of a file (MPI-5.0 §14.3), as a stream of the bytes that the
// view shows. The view's filetype is a layout in which this room seeks. It is never flattened.
//
//   const View view(column, 64);                        // copies of a layout, side by side from byte 64 of the file on
//   view.place(4096);                                   // the offset in the file of byte 4096 of the stream
//   view.before(1 << 20);                               // so many bytes of the stream lie before that offset of the file
//   view.store(from, length, packed, piece, begin);     // puts bytes of the stream into a piece of the file in memory
//
// before() is the inverse of place(). Both take O(depth · log pieces).
#pragma once

#include <cstddef>

#include "layout/layout.hpp"

namespace heddle::engine::files {

using layout::Bytes;
using layout::Count;

class View {
 public:
  /// All bytes of the file, as MPI_File_open leaves it.
  View();
  /// @param tile  The filetype, which fits(). @param displacement  Bytes of the file before the
  /// first tile.
  View(layout::Layout tile, Bytes displacement);

  /// True: the bytes of the filetype are in order of their offsets, do not overlap, and lie between
  /// 0 and the extent. The standard wants the order. Libraries differ in other cases, so Heddle
  /// leaves these to them. O(pieces of the list).
  static bool fits(const layout::Layout& tile);

  /// The view shows the file from the displacement on, without holes.
  [[nodiscard]] bool in_one_piece() const { return tile_.dense(); }
  [[nodiscard]] const layout::Layout& tile() const { return tile_; }
  [[nodiscard]] Bytes displacement() const { return displacement_; }

  /// The offset in the file of byte `at` of the stream, at >= 0.
  [[nodiscard]] Bytes place(Bytes at) const;
  /// The number of bytes of the stream whose offset in the file is less than `offset`.
  [[nodiscard]] Bytes before(Bytes offset) const;
  /// One past the offset of the last of `length` > 0 bytes of the stream.
  [[nodiscard]] Bytes end(Bytes from, Bytes length) const { return place(from + length - 1) + 1; }
  /// True: these bytes of the stream are one piece of the file.
  [[nodiscard]] bool one_piece(Bytes from, Bytes length) const {
    return length <= 0 || end(from, length) - place(from) == length;
  }
  /// True: no sum in this folder overflows for these bytes of the stream.
  [[nodiscard]] bool reaches(Bytes from, Bytes length) const;

  /// Copies bytes [from, from + length) of the stream from `in` into `piece`: memory that has the
  /// bytes of the file from offset `begin` on. load() copies them from `piece` to `out`.
  void store(Bytes from, Bytes length, const std::byte* in, std::byte* piece, Bytes begin) const;
  void load(Bytes from, Bytes length, const std::byte* piece, Bytes begin, std::byte* out) const;

 private:
  layout::Layout tile_;
  Bytes displacement_ = 0;
};

}  // namespace heddle::engine::files
