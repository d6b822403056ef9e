// layout/describe.cpp: the canonical program as text for people (heddle explain, test failures,
// reports).
#include <sstream>

#include "layout/layout.hpp"

namespace heddle::layout {
namespace {

class Writer {
 public:
  void node(const Node& node) {
    if (text_.tellp() > most_text) {
      text_ << "…";
      return;
    }
    std::visit([&](const auto& form) { write(node, form); }, node.form);
  }
  std::string take() { return text_.str(); }
  std::ostringstream& text() { return text_; }

 private:
  void write(const Node& node, const Block&) { text_ << "block " << node.size; }
  void write(const Node&, const Loop& loop) {
    text_ << "loop " << loop.count << " × " << loop.stride << " B { ";
    node(*loop.child);
    text_ << " }";
  }
  void write(const Node&, const BlockIndexed& list) {
    text_ << "at ";
    numbers(list.offsets);
    text_ << " { ";
    node(*list.child);
    text_ << " }";
  }
  void write(const Node&, const Indexed& list) {
    text_ << "pieces at ";
    numbers(list.offsets);
    text_ << " of ";
    numbers(list.lengths);
  }
  void write(const Node&, const Struct& sequence) {
    text_ << "sequence {";
    Count shown = 0;
    for (const Placed& child : sequence.children) {
      if (shown++ == few) {
        text_ << " … " << sequence.children.size() << " in all";
        break;
      }
      text_ << (shown == 1 ? " @" : "; @") << child.offset << " ";
      node(*child.node);
    }
    text_ << " }";
  }
  void numbers(const Integers& list) {
    text_ << "[";
    for (Count i = 0; i < std::min(few, list.size()); ++i) text_ << (i ? ", " : "") << list[i];
    if (list.size() > few) text_ << ", … " << list.size() << " in all";
    text_ << "]";
  }

  static constexpr Count few = 8;
  static constexpr int most_text = 4000;  // the rest is more of the same
  std::ostringstream text_;
};

}  // namespace

std::string describe(const Layout& layout) {
  if (!layout.node()) return "nothing";
  Writer writer;
  if (layout.root().offset != 0) writer.text() << "@" << layout.root().offset << " ";
  writer.node(*layout.node());
  return writer.take();
}

}  // namespace heddle::layout
