// layout/cursor.cpp: keeps the path from the root to the current piece, so that the next piece
// costs one step and a seek costs the depth.
#include "layout/cursor.hpp"

#include <algorithm>

#include "layout/pack.hpp"

namespace heddle::layout {

void Cursor::Path::push(const Level& level) {
  if (depth_ < near_.size())
    near_[depth_] = level;
  else
    far_.push_back(level);
  ++depth_;
}

void Cursor::Path::pop() {
  if (depth_ > near_.size()) far_.pop_back();
  --depth_;
}

void Cursor::Path::clear() {
  depth_ = 0;
  far_.clear();
}

Cursor::Cursor(const Layout& layout, Count count)
    : layout_(&layout),
      count_(count),
      size_(times(count, layout.size())),
      one_piece_(layout.node() && layout.node()->contiguous() && (count == 1 || layout.extent() == layout.size())) {
  if (size_ > 0) enter(0);
}

void Cursor::seek(Bytes offset) {
  if (offset < 0 || offset > size_) throw std::out_of_range("layout: seek outside the message");
  at_ = offset;
  if (offset < size_) enter(offset);
}

/// Makes the path to the piece that holds packed byte `offset` of the message.
void Cursor::enter(Bytes offset) {
  if (one_piece_) return;
  path_.clear();
  repetition_ = offset / layout_->size();
  descend(layout_->node(), layout_->root().offset + repetition_ * layout_->extent(), offset - repetition_ * layout_->size());
}

/// Extends the path to the piece that holds packed byte `into` of `node`.
void Cursor::descend(const ProgramNode* node, Bytes base, Bytes into) {
  while (node) {
    if (const auto* loop = std::get_if<Loop>(&node->form)) {
      const Count i = into / loop->child->size;
      into -= i * loop->child->size;
      path_.push({node, base, i});
      base += i * loop->stride;
      node = loop->child.get();
    } else if (const auto* list = std::get_if<BlockIndexed>(&node->form)) {
      const Count i = into / list->child->size;
      into -= i * list->child->size;
      path_.push({node, base, i});
      base += list->offsets[i];
      node = list->child.get();
    } else if (const auto* sequence = std::get_if<Struct>(&node->form)) {
      const std::size_t i = child_at(*sequence, into);
      into -= sequence->packed_at[i];
      path_.push({node, base, static_cast<Count>(i)});
      base += sequence->children[i].offset;
      node = sequence->children[i].node.get();
    } else {
      Count piece = 0;
      if (const auto* pieces = std::get_if<Indexed>(&node->form)) {
        const PieceAt found = piece_at(*pieces, into);
        piece = found.piece;
        into = found.into;
      }
      path_.push({node, base, piece});
      in_piece_ = into;
      node = nullptr;
    }
  }
}

/// Moves from the end of a piece to the start of the next: up to the first level with another
/// piece, and down again.
void Cursor::advance() {
  if (one_piece_) return;
  in_piece_ = 0;
  while (!path_.empty()) {
    Level& level = path_.back();
    const Count i = ++level.index;
    const ProgramNode& node = *level.node;
    if (const auto* loop = std::get_if<Loop>(&node.form)) {
      if (i < loop->count) return descend(loop->child.get(), level.base + i * loop->stride, 0);
    } else if (const auto* list = std::get_if<BlockIndexed>(&node.form)) {
      if (i < list->offsets.size()) return descend(list->child.get(), level.base + list->offsets[i], 0);
    } else if (const auto* sequence = std::get_if<Struct>(&node.form)) {
      const auto k = static_cast<std::size_t>(i);
      if (k < sequence->children.size()) {
        return descend(sequence->children[k].node.get(), level.base + sequence->children[k].offset, 0);
      }
    } else if (const auto* pieces = std::get_if<Indexed>(&node.form)) {
      if (i < pieces->offsets.size()) return;
    }
    path_.pop();
  }
  if (++repetition_ < count_) descend(layout_->node(), layout_->root().offset + repetition_ * layout_->extent(), 0);
}

Segment Cursor::peek() const {
  if (done()) return {0, 0};
  if (one_piece_) return {layout_->root().offset + at_, size_ - at_};
  const Level& level = path_.back();
  if (const auto* pieces = std::get_if<Indexed>(&level.node->form)) {
    return {level.base + pieces->offsets[level.index] + in_piece_, pieces->lengths[level.index] - in_piece_};
  }
  return {level.base + in_piece_, level.node->size - in_piece_};
}

Segment Cursor::next() {
  const Segment segment = peek();
  if (segment.length > 0) {
    at_ += segment.length;
    advance();
  }
  return segment;
}

Segment Cursor::next(Bytes room) {
  Segment segment = peek();
  if (segment.length <= room) return next();
  segment.length = room;
  at_ += room;
  in_piece_ += room;
  return segment;
}

Ahead Cursor::ahead(Count blocks) {
  Ahead seen;
  while (seen.blocks < blocks && !done()) {
    seen.bytes += next().length;
    ++seen.blocks;
  }
  return seen;
}

Bytes Cursor::copy_out(const void* base, void* out, Bytes room) {
  const Bytes bytes = std::min(room, size_ - at_);
  pack_range(*layout_, count_, base, at_, bytes, out);
  seek(at_ + bytes);
  return bytes;
}

Bytes Cursor::copy_in(void* base, const void* in, Bytes room) {
  const Bytes bytes = std::min(room, size_ - at_);
  unpack_range(*layout_, count_, base, at_, bytes, in);
  seek(at_ + bytes);
  return bytes;
}

std::size_t Cursor::segments(const void* base, std::span<iovec> out, Bytes room) {
  std::size_t filled = 0;
  // iovec has no const pointer, as it also serves for writing.
  auto* memory = static_cast<std::byte*>(const_cast<void*>(base));
  while (filled < out.size() && room > 0 && !done()) {
    const Segment segment = next(room);
    room -= segment.length;
    out[filled++] = {memory + segment.offset, static_cast<std::size_t>(segment.length)};
  }
  return filled;
}

}  // namespace heddle::layout
