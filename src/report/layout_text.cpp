// report/layout_text.cpp: cuts the text, and hashes all of the layout.
#include "report/layout_text.hpp"

#include <charconv>
#include <cstdint>
#include <variant>

#include "layout/describe.hpp"

namespace heddle::report {
namespace {

/// FNV-1a (Fowler, Noll and Vo) over numbers of 64 bits instead of bytes. Each node begins with the
/// number of its form, and each list with its length. So different programs are different sequences
/// of numbers.
class Hash {
 public:
  void add(std::int64_t number) noexcept {
    hash_ = (hash_ ^ static_cast<std::uint64_t>(number)) * 0x100000001b3;
    hash_ ^= hash_ >> 32;  // a multiplication carries no bit downwards
  }
  void add(const layout::Placed& part) {
    add(part.offset);
    if (part.node) add(*part.node);
  }
  [[nodiscard]] std::string text() const {
    char digits[16];
    const auto [end, error] = std::to_chars(digits, digits + sizeof digits, hash_, 16);
    return {digits, end};
  }

 private:
  void add(const layout::ProgramNode& node) {
    add(static_cast<std::int64_t>(node.form.index()));
    add(node.size);
    std::visit([this](const auto& form) { add(form); }, node.form);
  }
  void add(const layout::Block&) noexcept {}
  void add(const layout::Loop& loop) {
    add(loop.count);
    add(loop.stride);
    add(*loop.child);
  }
  void add(const layout::BlockIndexed& list) {
    add(list.offsets);
    add(*list.child);
  }
  void add(const layout::Indexed& pieces) {
    add(pieces.offsets);
    add(pieces.lengths);
  }
  void add(const layout::Struct& sequence) {
    add(static_cast<std::int64_t>(sequence.children.size()));
    for (const layout::Placed& child : sequence.children) add(child);
  }
  void add(const layout::Integers& list) {
    add(list.size());
    list.with([&](const auto* first) {
      for (layout::Count i = 0; i < list.size(); ++i) add(std::int64_t{first[i]});
    });
  }

  std::uint64_t hash_ = 0xcbf29ce484222325;
};

}  // namespace

std::string shortened(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end;
  text.resize(end);
  return text + "…";
}

Described described(const layout::Layout& layout) {
  constexpr layout::Count listed = 256;  // of a list; more would not fit
  Hash hash;
  hash.add(layout.root());
  hash.add(layout.extent());
  hash.add(layout.lower_bound());
  return {.text = shortened(layout::describe(layout, listed, Described::longest), Described::longest),
          .hash = hash.text(),
          .extent = layout.extent(),
          .lower_bound = layout.lower_bound()};
}

}  // namespace heddle::report
