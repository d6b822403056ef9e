// layout/cursor.hpp: a position in the packed stream of a layout.
//
//   Cursor look{layout, count}, pack{layout, count};      // two contexts over one program (Balaji et al. 2007, §4.1)
//   if (look.ahead(15).mean() < sparse)                   // judge the next 15 blocks ...
//     done += pack.copy_out(base, segment, bytes);        // ... and keep the position of `pack`
#pragma once

#include <sys/uio.h>

#include <array>
#include <span>
#include <vector>

#include "layout/layout.hpp"

namespace heddle::layout {

/// One contiguous piece: `length` bytes at base + offset.
struct Segment {
  Bytes offset;
  Bytes length;
  bool operator==(const Segment&) const = default;
};

/// The blocks that a look ahead has found.
struct Ahead {
  Count blocks = 0;
  Bytes bytes = 0;
  [[nodiscard]] double mean() const { return blocks ? static_cast<double>(bytes) / static_cast<double>(blocks) : 0; }
};

class Cursor {
 public:
  static constexpr int look_ahead = 15;  ///< Blocks: the default of Balaji et al. 2007.

  /// The layout must outlive the cursor.
  Cursor(const Layout& layout, Count count);

  [[nodiscard]] Bytes tell() const { return at_; }
  [[nodiscard]] Bytes size() const { return size_; }
  [[nodiscard]] bool done() const { return at_ == size_; }

  /// Moves to byte `offset` of the packed stream, in O(depth · log blocks).
  /// @param offset  0 … layout.size() · count, bytes. Otherwise: std::out_of_range.
  void seek(Bytes offset);

  /// The rest of the contiguous piece at this position. Length 0 at the end of the stream.
  [[nodiscard]] Segment peek() const;
  /// Returns the piece, or its first `room` bytes, and moves past it.
  Segment next();
  Segment next(Bytes room);

  /// Measures the next `blocks` pieces and moves past them.
  Ahead ahead(Count blocks = look_ahead);

  /// Packs up to `room` bytes from here, moves past them, and returns their number.
  Bytes copy_out(const void* base, void* out, Bytes room);
  Bytes copy_in(void* base, const void* in, Bytes room);

  /// Fills `out` with pieces from here (at most `room` bytes), moves past them, and returns the
  /// number of entries.
  std::size_t segments(const void* base, std::span<iovec> out, Bytes room);

 private:
  struct Level {
    const ProgramNode* node;
    Bytes base;   // placement of this node
    Count index;  // current repetition or piece
  };
  /// The path from the root to the current piece. It uses no heap up to a depth that few types
  /// exceed, because every transfer makes cursors.
  class Path {
   public:
    [[nodiscard]] bool empty() const { return depth_ == 0; }
    Level& back() { return depth_ <= near_.size() ? near_[depth_ - 1] : far_.back(); }
    [[nodiscard]] const Level& back() const { return depth_ <= near_.size() ? near_[depth_ - 1] : far_.back(); }
    void push(const Level& level);
    void pop();
    void clear();

   private:
    std::size_t depth_ = 0;
    std::array<Level, 8> near_;
    std::vector<Level> far_;
  };

  void enter(Bytes offset);
  void descend(const ProgramNode* node, Bytes base, Bytes into);
  void advance();

  const Layout* layout_;
  Count count_;
  Bytes size_;
  bool one_piece_;        // one piece, even if repeated: there is no path then
  Count repetition_ = 0;  // of the layout
  Path path_;             // within it
  Bytes at_ = 0;
  Bytes in_piece_ = 0;  // bytes of the current piece already behind us
};

}  // namespace heddle::layout
