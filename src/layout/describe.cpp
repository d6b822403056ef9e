// layout/describe.cpp: the canonical program as text for people (heddle explain, test failures,
// reports).
#include "layout/describe.hpp"

#include <algorithm>
#include <sstream>

namespace heddle::layout {
namespace {

class Writer {
 public:
  Writer(Count listed, std::size_t most) : listed_(listed), most_(static_cast<std::streamoff>(most)) {}

  void node(const ProgramNode& node) {
    if (text_.tellp() > most_) {
      text_ << "…";
      return;
    }
    std::visit([&](const auto& form) { write(node, form); }, node.form);
  }
  std::string take() { return text_.str(); }
  std::ostringstream& text() { return text_; }

 private:
  void write(const ProgramNode& node, const Block&) { text_ << "block " << node.size; }
  void write(const ProgramNode&, const Loop& loop) {
    text_ << "loop " << loop.count << " × " << loop.stride << " B { ";
    node(*loop.child);
    text_ << " }";
  }
  void write(const ProgramNode&, const BlockIndexed& list) {
    text_ << "at ";
    numbers(list.offsets);
    text_ << " { ";
    node(*list.child);
    text_ << " }";
  }
  void write(const ProgramNode&, const Indexed& list) {
    text_ << "pieces at ";
    numbers(list.offsets);
    text_ << " of ";
    numbers(list.lengths);
  }
  void write(const ProgramNode&, const Struct& sequence) {
    text_ << "sequence {";
    Count shown = 0;
    for (const Placed& child : sequence.children) {
      if (shown++ == listed_) {
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
    for (Count i = 0; i < std::min(listed_, list.size()); ++i) text_ << (i ? ", " : "") << list[i];
    if (list.size() > listed_) text_ << ", … " << list.size() << " in all";
    text_ << "]";
  }

  const Count listed_;
  const std::streamoff most_;
  std::ostringstream text_;
};

}  // namespace

std::string describe(const Layout& layout) { return describe(layout, 8, 4000); }  // the rest is more of the same

std::string describe(const Layout& layout, Count listed, std::size_t most) {
  if (!layout.node()) return "nothing";
  Writer writer(listed, most);
  if (layout.root().offset != 0) writer.text() << "@" << layout.root().offset << " ";
  writer.node(*layout.node());
  return writer.take();
}

}  // namespace heddle::layout
