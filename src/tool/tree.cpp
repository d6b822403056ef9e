// tool/tree.cpp: the nodes of a layout as JSON, for `heddle explain`.
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using namespace layout;

class Drawing {
 public:
  Json node(const ProgramNode& node) {
    if (++nodes_ > most_nodes) return {{"kind", "more"}};
    return std::visit([&](const auto& form) { return draw(node, form); }, node.form);
  }

 private:
  static constexpr std::size_t most_nodes = 2000;
  static constexpr Count most_numbers = 256;

  static Json listed(const Integers& numbers) {
    Json list = Json::array();
    for (Count i = 0; i < std::min(numbers.size(), most_numbers); ++i) list.push_back(numbers[i]);
    return list;
  }
  Json draw(const ProgramNode& node, const Block&) { return {{"kind", "block"}, {"length", node.size}}; }
  Json draw(const ProgramNode&, const Loop& loop) {
    return {{"kind", "loop"}, {"count", loop.count}, {"stride", loop.stride}, {"child", node(*loop.child)}};
  }
  Json draw(const ProgramNode&, const BlockIndexed& list) {
    return {{"kind", "block_indexed"},
            {"count", list.offsets.size()},
            {"offsets", listed(list.offsets)},
            {"child", node(*list.child)}};
  }
  Json draw(const ProgramNode&, const Indexed& list) {
    return {{"kind", "indexed"},
            {"count", list.offsets.size()},
            {"offsets", listed(list.offsets)},
            {"lengths", listed(list.lengths)}};
  }
  Json draw(const ProgramNode&, const Struct& sequence) {
    Json children = Json::array();
    for (const Placed& child : sequence.children) {
      if (nodes_ > most_nodes) break;
      children.push_back({{"offset", child.offset}, {"node", node(*child.node)}});
    }
    return {{"kind", "struct"}, {"count", sequence.children.size()}, {"children", children}};
  }

  std::size_t nodes_ = 0;
};

}  // namespace

Json tree(const Layout& layout) {
  if (!layout.node()) return {{"kind", "nothing"}};
  return {{"offset", layout.root().offset}, {"node", Drawing().node(*layout.node())}};
}

}  // namespace heddle::tool
