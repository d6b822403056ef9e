// tool/explain.cpp: all facts about a datatype as JSON, which `heddle explain` prints.
#include <unistd.h>

#include "explain/datatype_lines.hpp"
#include "layout/cursor.hpp"
#include "layout/kernel/kernels.hpp"
#include "layout/kernel/thresholds.hpp"
#include "layout/shape.hpp"
#include "layout/type_map.hpp"
#include "layout/wire.hpp"
#include "settings/files.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using namespace layout;

Json of(const TypeMap& map) {
  Json entries = Json::array();
  for (const Entry& entry : map.entries) {
    entries.push_back({{"offset", entry.offset}, {"length", entry.length}, {"name", entry.name}});
  }
  return {{"total", map.total}, {"entries", entries}};
}

Json of(const Shape& shape) {
  return {{"size", shape.size},
          {"extent", shape.extent},
          {"true_extent", shape.true_extent},
          {"blocks", shape.blocks},
          {"mean_block", shape.mean_block},
          {"median_block", shape.median_block},
          {"deviation_block", shape.deviation_block},
          {"smallest_block", shape.smallest_block},
          {"largest_block", shape.largest_block},
          {"lines", shape.lines},
          {"depth", shape.depth}};
}

Json segments(const Layout& layout, Count count, std::size_t limit) {
  Json list = Json::array();
  Cursor cursor(layout, count);
  while (list.size() < limit && !cursor.done()) {
    const Bytes packed = cursor.tell();
    const Segment segment = cursor.next();
    list.push_back({{"offset", segment.offset}, {"length", segment.length}, {"packed", packed}});
  }
  return list;
}

/// The only basic type of a datatype; null: several.
const BasicType* element_of(const grammar::Type& type) {
  if (type.basic) return type.basic;
  const BasicType* found = nullptr;
  for (const grammar::TypePtr& child : type.children) {
    const BasicType* its = element_of(*child);
    if (!its || (found && found != its)) return nullptr;
    found = its;
  }
  return found;
}

/// The canonical program in the grammar; empty: too long.
std::string written(const grammar::Type& type) {
  const BasicType* element = element_of(type);
  return heddle::explain::pasteable(type.layout, element ? element->name : "byte");
}

/// Bytes that the layout takes in a message; null: the layout is too large for that.
Json wire_bytes(const Layout& layout) {
  try {
    return wire::encode(layout).size();
  } catch (const std::length_error&) {
    return nullptr;
  }
}

}  // namespace

Json explain(const ExplainOptions& options) {
  const grammar::TypePtr type = grammar::parse(options.description);
  const Layout& layout = type->layout;
  kernel::use(profile().profile.kernels);
  return {{"input", options.description},
          {"type", grammar::to_string(*type)},
          {"count", options.count},
          {"type_map", of(type_map(*type, options.count, options.entries))},
          {"size", layout.size()},
          {"extent", layout.extent()},
          {"lower_bound", layout.lower_bound()},
          {"upper_bound", layout.upper_bound()},
          {"true_lower_bound", layout.true_lower_bound()},
          {"true_extent", layout.true_extent()},
          {"alignment", layout.alignment()},
          {"dense", layout.dense()},
          {"canonical", describe(layout)},
          {"written", written(*type)},
          {"tree", tree(layout)},
          {"wire_bytes", wire_bytes(layout)},
          {"shape", of(shape(layout, options.count))},
          {"plan", plan(layout, options.count)},
          {"kernels", kernels(layout, options.count)},
          {"way", told(schemes(layout, options.count, options.to), options.to)},
          {"segments", segments(layout, options.count, options.segments)}};
}

std::vector<std::string> explain_in_lines(const ExplainOptions& options) {
  const grammar::TypePtr type = grammar::parse(options.description);
  const Layout& layout = type->layout;
  kernel::use(profile().profile.kernels);
  std::vector<std::string> lines =
      heddle::explain::lines(layout, options.count, grammar::to_string(*type), schemes(layout, options.count, options.to));
  for (const std::string& sentence : plan(layout, options.count)) lines.push_back("plan: " + sentence);
  const auto text = [](const Json& value) { return value.get<std::string>(); };
  const Json chosen = kernels(layout, options.count);
  for (const Json& part : chosen["parts"])
    for (const char* direction : {"pack", "unpack"})
      lines.push_back(std::string(direction) + " " + text(part["kind"]) + " by " + text(part[direction]["kernel"]) + ": " +
                      text(part[direction]["why"]));
  return lines;
}

Json settings_table() {
  Json rows = Json::array();
  const settings::Files files = settings::files_of(environ);
  for (const settings::Variable& v : settings::table()) {
    const auto set = settings::source(environ, files, v.name);
    rows.push_back({{"name", v.name},
                    {"default", v.fallback},
                    {"values", v.values},
                    {"meaning", v.meaning},
                    {"read_by", v.reader == settings::Reader::library ? "library" : "command line"},
                    {"value", set ? Json(set->value) : Json()},
                    {"from", set ? Json(set->from) : Json()}});
  }
  return rows;
}

}  // namespace heddle::tool
