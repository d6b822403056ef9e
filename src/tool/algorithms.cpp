// tool/algorithms.cpp: the tables of the rooms, for `heddle algorithms`: what there is to choose from, and when what is chosen.
#include "group/formats.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

Json group_formats() {
  Json rows = Json::array();
  for (const group::FormatEntry& one : group::format_table()) {
    rows.push_back({{"name", one.name}, {"description", one.description}, {"when", one.when}, {"bytes", one.bytes}});
  }
  return {{"room", "group"},
          {"title", "Formats of groups"},
          {"choice", "the smallest in memory; the quicker look-up among equals, in this order"},
          {"rows", rows}};
}

}  // namespace

Json algorithms() { return Json::array({group_formats()}); }

}  // namespace heddle::tool
