// engine/file/coverage.hpp: the bytes of a piece that the ranks write. Heddle writes no other
// bytes: another process may write these at the same time.
//
//   Coverage coverage;
//   coverage.reserve(largest_piece);                     // before other ranks depend on this one
//   if (coverage.complete(round, views)) write(round.piece);
//   else coverage.for_each_run(round, views, write);
#pragma once

#include <span>
#include <vector>

#include "engine/file/plan.hpp"
#include "engine/file/room.hpp"

namespace heddle::engine::files {

class Coverage {
 public:
  /// @param most  Bytes of the largest piece. Throws std::bad_alloc.
  void reserve(Bytes most);

  /// True: the ranks write each byte of the piece. If several ranks write, and as many bytes as the
  /// piece has, this marks each byte, which costs about as much as to store the bytes. In all other
  /// cases the numbers of bytes tell.
  bool complete(const Round& round, std::span<const View> views);
  /// Calls f for each run of bytes that the ranks write, in order. After complete() was false.
  template <class F>
  void for_each_run(const Round& round, std::span<const View> views, F&& f) {
    mark(round, views);
    for (Bytes at = 0; (at = find(at, round.piece.bytes(), true)) < round.piece.bytes();) {
      const Bytes end = find(at, round.piece.bytes(), false);
      f(FileRange{round.piece.low + at, round.piece.low + end});
      at = end;
    }
  }

 private:
  void mark(const Round& round, std::span<const View> views);
  /// The first byte from `at` on that is marked, or not. `end`: there is none.
  [[nodiscard]] Bytes find(Bytes at, Bytes end, bool marked) const;
  Room marks_;  // a byte for each byte of the piece
  Room ones_;
};

}  // namespace heddle::engine::files
