// layout/cursor.hpp: a place in the packed stream of a layout.
//
//   Cursor look{layout, count}, pack{layout, count};      // two contexts over one program (Balaji et al. 2007, §4.1)
//   if (look.ahead(15).mean() < sparse)                   // judge the next 15 blocks ...
//     done += pack.copy_out(base, segment, bytes);        // ... without losing our place
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

/// What a look ahead saw.
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

  /// Moves to byte `offset` of the packed stream, in O(depth · log blocks), whatever the offset.
  /// @param offset  0 … layout.size() · count, bytes. Otherwise: std::out_of_range.
  void seek(Bytes offset);

  /// The contiguous piece from here on; length 0 at the end.
  [[nodiscard]] Segment peek() const;
  /// The same, and moves past it, or past its first `room` bytes.
  Segment next();
  Segment next(Bytes room);

  /// Judges the next `blocks` pieces and leaves this cursor behind them.
  Ahead ahead(Count blocks = look_ahead);

  /// Packs up to `room` bytes from here, moves past them, returns how many.
  Bytes copy_out(const void* base, void* out, Bytes room);
  Bytes copy_in(void* base, const void* in, Bytes room);

  /// Fills `out` with pieces from here (at most `room` bytes), moves past them, returns the entries filled.
  std::size_t segments(const void* base, std::span<iovec> out, Bytes room);

 private:
  struct Level {
    const Node* node;
    Bytes base;   // where this node is placed
    Count index;  // which repetition or piece of it we are in
  };
  /// From the root to the current piece. Off the heap up to a depth that few types reach: cursors are made in every transfer.
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
  void descend(const Node* node, Bytes base, Bytes into);
  void advance();

  const Layout* layout_;
  Count count_;
  Bytes size_;
  bool one_piece_;        // however often it is repeated: no path then
  Count repetition_ = 0;  // of the layout
  Path path_;             // within it
  Bytes at_ = 0;
  Bytes in_piece_ = 0;  // bytes of the current piece already behind us
};

}  // namespace heddle::layout
