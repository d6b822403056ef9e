// explain/datatype_lines.cpp: writes the lines, and the type in a form that `heddle explain` reads.
#include "explain/datatype_lines.hpp"

#include <fmt/format.h>

#include "layout/grammar.hpp"
#include "layout/shape.hpp"

namespace heddle::explain {

std::vector<std::string> lines(const layout::Layout& layout, Count count, std::string_view type, const SchemeChoices& schemes) {
  const layout::Shape shape = layout::shape(layout, count);
  std::vector<std::string> all = {
      fmt::format("type: {}", type),
      fmt::format("count: {}", count),
      fmt::format("size: {}", layout.size()),
      fmt::format("extent: {}", layout.extent()),
      fmt::format("lower_bound: {}", layout.lower_bound()),
      fmt::format("true_lower_bound: {}", layout.true_lower_bound()),
      fmt::format("true_extent: {}", layout.true_extent()),
      fmt::format("canonical: {}", layout::describe(layout)),
      fmt::format("blocks: {}, mean {:.1f} B, median {} B", shape.blocks, shape.mean_block, shape.median_block),
  };
  if (schemes.choices.empty()) all.push_back("within a node: " + schemes.why);
  for (const Choice& one : schemes.choices)
    all.push_back(fmt::format("within a node, {}: {}; segments of {} B", one.memory, one.why, one.choice.segment));
  return all;
}

std::string pasteable(const layout::Layout& layout, std::string_view element) try {
  constexpr std::size_t most = 4000;
  std::string text = layout::grammar::written(layout, element);
  return text.size() > most ? std::string() : text;
} catch (const layout::grammar::Error&) {
  return {};
}

}  // namespace heddle::explain
