// tool/algorithms.cpp: the tables of the rooms, for `heddle algorithms`. They list the alternatives
// of each choice of Heddle.
#include "group/formats.hpp"
#include "schedule/schedule.hpp"
#include "select/message_protocols.hpp"
#include "tool/commands.hpp"
#include "transport/transport_table.hpp"

namespace heddle::tool {
namespace {

Json messages() {
  Json rows = Json::array();
  for (const select::MessageProtocol& one : select::message_protocols)
    rows.push_back({{"name", one.name}, {"description", one.description}, {"when", one.when}});
  return {{"room", "select"},
          {"title", "Protocols of a message"},
          {"choice", "once for each call, by datatype, length and receiver"},
          {"rows", rows}};
}

Json group_formats() {
  Json rows = Json::array();
  for (const group::FormatEntry& one : group::format_table()) {
    rows.push_back({{"name", one.name}, {"description", one.description}, {"when", one.when}, {"bytes", one.bytes}});
  }
  return {{"room", "group"},
          {"title", "Formats of groups"},
          {"choice", "the smallest in memory; among equals the quickest look-up, in this order"},
          {"rows", rows}};
}

Json schedules(const char* title, std::span<const schedule::Algorithm* const> table) {
  Json rows = Json::array();
  for (const schedule::Algorithm* one : table)
    rows.push_back({{"name", one->name}, {"description", one->description}, {"when", one->when}});
  return {{"room", "schedule"},
          {"title", title},
          {"choice", "the least cost for these volumes, their spread, the ranks and the nodes"},
          {"rows", rows}};
}

Json transports() {
  Json rows = Json::array();
  for (const transport::TransportEntry& one : transport::transports)
    rows.push_back({{"name", one.name}, {"description", one.description}, {"when", one.cost}});
  return {{"room", "transport"},
          {"title", "Transports within a node"},
          {"choice", "the scheme of the message decides (heddle explain TYPE), among those that HEDDLE_TRANSPORTS allows"},
          {"rows", rows}};
}

}  // namespace

Json algorithms() {
  return Json::array({messages(), group_formats(), schedules("Allgatherv", schedule::allgatherv()),
                      schedules("Alltoallv and Alltoallw", schedule::alltoallv()),
                      schedules("Sparse exchange, receivers do not know who sends", schedule::exchange()), transports()});
}

}  // namespace heddle::tool
