// layout/grammar_of.cpp: writes any layout as a description, with a constructor for each node of
// its program.
#include <algorithm>
#include <memory>
#include <utility>

#include "layout/grammar.hpp"

namespace heddle::layout::grammar {
namespace {

std::vector<Count> all_of(const Integers& numbers) {
  std::vector<Count> list(static_cast<std::size_t>(numbers.size()));
  for (Count i = 0; i < numbers.size(); ++i) list[static_cast<std::size_t>(i)] = numbers[i];
  return list;
}

/// True if the length of each piece is a multiple of `element` bytes.
class Divides {
 public:
  explicit Divides(Bytes element) : element_(element) {}
  bool operator()(const ProgramNode& node) const {
    return std::visit([&](const auto& form) { return all_in(node, form); }, node.form);
  }

 private:
  bool all_in(const ProgramNode& node, const Block&) const { return node.size % element_ == 0; }
  bool all_in(const ProgramNode&, const Loop& loop) const { return (*this)(*loop.child); }
  bool all_in(const ProgramNode&, const BlockIndexed& list) const { return (*this)(*list.child); }
  bool all_in(const ProgramNode&, const Indexed& list) const {
    for (Count i = 0; i < list.lengths.size(); ++i)
      if (list.lengths[i] % element_ != 0) return false;
    return true;
  }
  bool all_in(const ProgramNode&, const Struct& members) const {
    return std::ranges::all_of(members.children, [&](const Placed& child) { return (*this)(*child.node); });
  }

  Bytes element_;
};

/// Makes types without layouts, only for writing.
class Maker {
 public:
  Maker(const BasicType& element, Bytes size) : size_(size) {
    Type basic;
    basic.basic = &element;
    element_ = std::make_shared<const Type>(std::move(basic));
  }

  TypePtr of(const Layout& layout) const {
    if (!layout.node()) return made(Combiner::contiguous, {0}, {}, element_);
    const Placed& root = layout.root();
    if (root.offset == 0) return of(*root.node);
    const auto [length, type] = repeated(*root.node);
    return made(Combiner::hindexed_block, {length}, {{root.offset}}, type);
  }

 private:
  static TypePtr made(Combiner combiner, std::vector<Count> numbers, std::vector<std::vector<Count>> lists, TypePtr child) {
    Type type;
    type.combiner = combiner;
    type.numbers = std::move(numbers);
    type.lists = std::move(lists);
    type.children = {std::move(child)};
    return std::make_shared<const Type>(std::move(type));
  }

  /// A contiguous piece is a number of elements. Any other node counts as one element of its own
  /// type.
  std::pair<Count, TypePtr> repeated(const ProgramNode& node) const {
    if (node.contiguous()) return {node.size / size_, element_};
    return {1, of(node)};
  }

  TypePtr of(const ProgramNode& node) const {
    return std::visit([&](const auto& form) { return type(node, form); }, node.form);
  }
  TypePtr type(const ProgramNode& node, const Block&) const {
    const Count length = node.size / size_;
    return length == 1 ? element_ : made(Combiner::contiguous, {length}, {}, element_);
  }
  TypePtr type(const ProgramNode&, const Loop& loop) const {
    const auto [length, child] = repeated(*loop.child);
    return made(Combiner::hvector, {loop.count, length, loop.stride}, {}, child);
  }
  TypePtr type(const ProgramNode&, const BlockIndexed& list) const {
    const auto [length, child] = repeated(*list.child);
    return made(Combiner::hindexed_block, {length}, {all_of(list.offsets)}, child);
  }
  TypePtr type(const ProgramNode&, const Indexed& list) const {
    std::vector<Count> lengths = all_of(list.lengths);
    for (Count& length : lengths) length /= size_;
    return made(Combiner::hindexed, {}, {std::move(lengths), all_of(list.offsets)}, element_);
  }
  TypePtr type(const ProgramNode&, const Struct& members) const {
    Type type;
    type.combiner = Combiner::structure;
    type.lists.resize(2);
    for (const Placed& member : members.children) {
      auto [length, child] = repeated(*member.node);
      type.lists[0].push_back(length);
      type.lists[1].push_back(member.offset);
      type.children.push_back(std::move(child));
    }
    return std::make_shared<const Type>(std::move(type));
  }

  Bytes size_;
  TypePtr element_;
};

}  // namespace

std::string written(const Layout& layout, std::string_view element) {
  const BasicType* basic = find_basic(element);
  const bool fits = basic && !basic->pair() && layout.node() && Divides(basic->first.size)(*layout.node());
  if (!fits) basic = find_basic("byte");
  std::string text = to_string(*Maker(*basic, basic->first.size).of(layout));
  const Layout natural = parse(text)->layout;
  if (natural.lower_bound() == layout.lower_bound() && natural.extent() == layout.extent()) return text;
  return "resized(" + text + ", " + std::to_string(layout.lower_bound()) + ", " + std::to_string(layout.extent()) + ")";
}

}  // namespace heddle::layout::grammar
