// The table describes each transport, by the names that HEDDLE_TRANSPORTS takes.
#include "transport/transport_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "settings/settings.hpp"
#include "transport/join_node.hpp"

namespace heddle::transport::testing {
namespace {

TEST(Table, EachTransportOnceWithItsWords) {
  std::set<std::string_view> names;
  for (const TransportEntry& row : transports) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.description.empty()) << row.name;
    EXPECT_FALSE(row.cost.empty()) << row.name;
    EXPECT_EQ(find(row.name), &row);
    EXPECT_LE(row.can.one_sided ? 1 : 2, row.can.copies) << row.name;
    EXPECT_EQ(row.can.map, !row.memory.empty()) << row.name;
    EXPECT_EQ(row.can.map || row.can.copy, row.make != nullptr) << row.name;
    EXPECT_EQ(row.make && row.can.any_memory(), !row.means.empty() && !row.remedy.empty()) << row.name;
  }
  EXPECT_EQ(find("carrier pigeon"), nullptr);
}

TEST(Table, HasTheNamesOfTheSetting) {
  std::string all;
  TransportSet each = TransportSet::none();
  for (const TransportEntry& row : transports) {
    EXPECT_EQ(settings::transports(row.name).complaint, "") << row.name;
    all += (all.empty() ? "" : ",") + std::string(row.name);
    each.add(row);
  }
  EXPECT_EQ(settings::transports(all).value, each);
  EXPECT_NE(
      std::ranges::find_if(settings::table(), [&](const auto& v) { return v.values.find(all) != std::string_view::npos; }),
      settings::table().end());
}

TEST(Table, ListHasTheAllowedTransports) {
  const JoinedNode node(0, 1, {.allowed = TransportSet::none().with("mapped").with("xpmem")});
  std::set<std::string_view> names;
  for (const auto& transport : node.transports().all()) names.insert(transport->entry().name);
  EXPECT_EQ(names, (std::set<std::string_view>{"mapped", "xpmem"}));
}

TEST(Table, PreparationGrowsWithThePages) {
  const TransportEntry row{.message_ns = 100, .page_ns = 10};
  EXPECT_EQ(row.preparation(1), 110);
  EXPECT_EQ(row.preparation(4096), 110);
  EXPECT_EQ(row.preparation(4097), 120);
  EXPECT_EQ(find("mapped")->preparation(1 << 20), 0);
}

}  // namespace
}  // namespace heddle::transport::testing
