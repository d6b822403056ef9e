// The table describes each transport, by the names that HEDDLE_TRANSPORTS takes.
#include "transport/transport_table.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "settings/settings.hpp"

namespace heddle::transport::testing {
namespace {

TEST(Table, EachTransportOnceWithItsWords) {
  std::set<std::string_view> names;
  for (const Transport& row : table()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.description.empty()) << row.name;
    EXPECT_FALSE(row.cost.empty()) << row.name;
    EXPECT_EQ(find(row.name), &row);
    EXPECT_LE(row.one_sided ? 1 : 2, row.copies) << row.name;
  }
  EXPECT_EQ(find("carrier pigeon"), nullptr);
}

TEST(Table, HasTheNamesOfTheSetting) {
  std::string all;
  for (const Transport& row : table()) {
    EXPECT_EQ(settings::transports(row.name).complaint, "") << row.name;
    all += (all.empty() ? "" : ",") + std::string(row.name);
  }
  EXPECT_EQ(settings::transports(all).value, settings::Transports{});
  EXPECT_NE(
      std::ranges::find_if(settings::table(), [&](const auto& v) { return v.values.find(all) != std::string_view::npos; }),
      settings::table().end());
}

}  // namespace
}  // namespace heddle::transport::testing
