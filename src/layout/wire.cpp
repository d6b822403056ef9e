// layout/wire.cpp: a writer, and a reader that checks everything.
#include "layout/wire.hpp"

#include "layout/rewrite.hpp"

namespace heddle::layout::wire {
namespace {

enum Kind : std::uint8_t { block, loop, block_indexed, indexed, structure };
enum Flag : std::uint8_t { lower_marked = 1, upper_marked = 2, has_bytes = 4 };

/// Larger bounds and displacements are refused, so that the sum of two cannot overflow.
constexpr Bytes farthest = Bytes{1} << 61;

class Writer {
 public:
  void byte(std::uint8_t value) {
    if (out_.size() >= max_bytes) throw std::length_error("layout: too many pieces for the wire form");
    out_.push_back(std::byte{value});
  }
  void u(std::int64_t value) { varint(static_cast<std::uint64_t>(value)); }
  void z(std::int64_t value) { varint((static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63)); }

  void node(const ProgramNode& node) {
    std::visit([&](const auto& form) { write(node, form); }, node.form);
  }
  std::vector<std::byte> take() { return std::move(out_); }

 private:
  void varint(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7) byte(static_cast<std::uint8_t>(value | 0x80));
    byte(static_cast<std::uint8_t>(value));
  }
  void gaps(const Integers& offsets) {
    u(offsets.size());
    for (Count i = 1; i < offsets.size(); ++i) z(offsets[i] - offsets[i - 1]);
  }
  void write(const ProgramNode& node, const Block&) {
    byte(block);
    u(node.size);
  }
  void write(const ProgramNode&, const Loop& form) {
    byte(loop);
    u(form.count);
    z(form.stride);
    node(*form.child);
  }
  void write(const ProgramNode&, const BlockIndexed& form) {
    byte(block_indexed);
    gaps(form.offsets);
    node(*form.child);
  }
  void write(const ProgramNode&, const Indexed& form) {
    byte(indexed);
    gaps(form.offsets);
    for (Count i = 0; i < form.lengths.size(); ++i) u(form.lengths[i]);
  }
  void write(const ProgramNode&, const Struct& form) {
    byte(structure);
    u(static_cast<Count>(form.children.size()));
    Bytes before = 0;
    for (std::size_t i = 0; i < form.children.size(); ++i) {
      if (i > 0) z(form.children[i].offset - before);
      before = form.children[i].offset;
      node(*form.children[i].node);
    }
  }

  std::vector<std::byte> out_;
};

class Reader {
 public:
  explicit Reader(std::span<const std::byte> in) : in_(in) {}

  [[noreturn]] void fail(const std::string& what) const { throw Error("byte " + std::to_string(at_) + ": " + what); }

  std::uint8_t byte() {
    if (at_ >= in_.size()) fail("the message ends too early");
    return static_cast<std::uint8_t>(in_[at_++]);
  }
  std::uint64_t varint() {
    std::uint64_t value = 0;
    for (int shift = 0;; shift += 7) {
      const std::uint8_t next = byte();
      if (shift == 63 && next > 1) fail("a number of more than 64 bits");
      value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
      if (next < 0x80) {
        if (next == 0 && shift > 0) fail("a number with padding");
        return value;
      }
    }
  }
  /// Reads a number of at most 2^61, the limit of every size and count of a layout.
  std::int64_t u(const char* what, std::int64_t low = 0) {
    const std::uint64_t value = varint();
    if (value > static_cast<std::uint64_t>(farthest)) fail(std::string(what) + " beyond 2^61");
    if (static_cast<std::int64_t>(value) < low) fail(std::string(what) + " below " + std::to_string(low));
    return static_cast<std::int64_t>(value);
  }
  std::int64_t z(const char* what) {
    const std::uint64_t folded = varint();
    const auto value = static_cast<std::int64_t>((folded >> 1) ^ (~(folded & 1) + 1));
    if (value > farthest || value < -farthest) fail(std::string(what) + " beyond 2^61");
    return value;
  }

  Placed node(int depth) {
    if (depth > max_depth) fail("nodes nested too deeply");
    Placed result = made(depth);
    if (result.node->low < -farthest || result.node->high > farthest || result.node->size > farthest) {
      fail("a layout beyond 2^61 bytes");
    }
    return result;
  }
  void end() const {
    if (at_ != in_.size()) fail(std::to_string(in_.size() - at_) + " bytes too many");
  }

 private:
  Placed made(int depth) {
    switch (const std::uint8_t kind = byte()) {
      case block:
        return rewrite::block(u("a block length", 1));
      case loop: {
        const Count count = u("a loop count", 2);
        const Bytes stride = z("a stride");
        return rewrite::loop(count, stride, node(depth + 1));
      }
      case block_indexed: {
        std::vector<Bytes> offsets = gaps(listed(1));
        return rewrite::at_each(std::move(offsets), node(depth + 1));
      }
      case indexed: {
        const std::vector<Bytes> offsets = gaps(listed(2));
        std::vector<Bytes> lengths(offsets.size());
        for (Bytes& length : lengths) length = u("a block length", 1);
        return rewrite::pieces(offsets, lengths);
      }
      case structure:
        return members(listed(3), depth);
      default:
        fail("no node is of kind " + std::to_string(kind));
    }
  }
  /// Reads the length of a list. Each item takes at least `bytes`, except that the first has no
  /// gap.
  std::size_t listed(std::size_t bytes) {
    const auto n = static_cast<std::size_t>(u("the length of a list", 2));
    if (n > (in_.size() - at_ + 1) / bytes) {
      fail("a list of " + std::to_string(n) + " items in " + std::to_string(in_.size() - at_) + " bytes");
    }
    return n;
  }
  Bytes next_offset(Bytes before) {
    const Bytes offset = before + z("a gap");
    if (offset > farthest || offset < -farthest) fail("an offset beyond 2^61");
    return offset;
  }
  std::vector<Bytes> gaps(std::size_t n) {
    std::vector<Bytes> offsets(n, 0);
    for (std::size_t i = 1; i < n; ++i) offsets[i] = next_offset(offsets[i - 1]);
    return offsets;
  }
  Placed members(std::size_t n, int depth) {
    std::vector<Placed> children;
    children.reserve(n);
    Bytes offset = 0;
    for (std::size_t i = 0; i < n; ++i) {
      if (i > 0) offset = next_offset(offset);
      Placed child = node(depth + 1);
      child.offset = plus(child.offset, offset);
      children.push_back(std::move(child));
    }
    return rewrite::sequence(children);
  }

  std::span<const std::byte> in_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<std::byte> encode(const Layout& layout) {
  Writer out;
  out.byte(version);
  const Marks marks = layout.marks();
  const int flags = (marks.lower ? lower_marked : 0) | (marks.upper ? upper_marked : 0) | (layout.node() ? has_bytes : 0);
  out.byte(static_cast<std::uint8_t>(flags));
  out.z(layout.lower_bound());
  out.z(layout.extent());
  out.u(layout.alignment());
  if (layout.node()) {
    out.z(layout.root().offset);
    out.node(*layout.node());
  }
  return out.take();
}

Layout decode(std::span<const std::byte> message) {
  Reader in(message);
  if (const std::uint8_t theirs = in.byte(); theirs != version) {
    in.fail("wire form version " + std::to_string(theirs) + ", this build reads " + std::to_string(version));
  }
  const std::uint8_t flags = in.byte();
  if (flags > (lower_marked | upper_marked | has_bytes)) in.fail("unknown flags");
  const Bytes lower_bound = in.z("the lower bound");
  const Bytes extent = in.z("the extent");
  const Bytes alignment = in.u("the alignment", 1);
  Placed root;
  try {
    if (flags & has_bytes) {
      const Bytes origin = in.z("the origin");
      root = in.node(1);
      root.offset = plus(root.offset, origin);
      if (plus(root.offset, root.node->low) < -farthest || plus(root.offset, root.node->high) > farthest) {
        in.fail("a layout beyond 2^61 bytes");
      }
    }
  } catch (const std::overflow_error& refusal) {
    in.fail(refusal.what());
  } catch (const std::invalid_argument& refusal) {
    in.fail(refusal.what());
  }
  in.end();
  return {std::move(root), lower_bound, extent, alignment, {(flags & lower_marked) != 0, (flags & upper_marked) != 0}};
}

}  // namespace heddle::layout::wire
