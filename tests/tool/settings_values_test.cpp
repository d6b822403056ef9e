// The values of a variable are the names that the rooms know. The table of settings/ repeats the
// names, because settings/ lies beneath the rooms and is read before them. This test, above all
// rooms, compares the two.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "layout/kernel/kernels.hpp"
#include "schedule/schedule.hpp"
#include "select/scheme.hpp"
#include "settings/settings.hpp"
#include "transport/transport_table.hpp"

namespace heddle {
namespace {

using Names = std::vector<std::string>;

Names split(std::string text, char at) {
  Names names;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    names.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return names;
}

/// The values that the table allows for a variable.
Names allowed(std::string_view name) {
  const auto row = std::ranges::find(settings::table(), name, &settings::Variable::name);
  if (row == settings::table().end()) ADD_FAILURE() << "no variable is called " << name;
  return row == settings::table().end() ? Names() : split(std::string(row->values), '|');
}

Names with(Names first, std::span<const schedule::Algorithm* const> table) {
  for (const schedule::Algorithm* one : table) first.emplace_back(one->name);
  return first;
}

Names sorted(Names names) {
  std::ranges::sort(names);
  return names;
}

template <class Parse>
void all_parse(const Names& names, Parse parse) {
  for (const std::string& one : names) EXPECT_EQ(parse(one).complaint, "") << one;
}

TEST(SettingsValues, AreTheAlgorithmsThatThereAre) {
  EXPECT_EQ(sorted(allowed("HEDDLE_ALLGATHERV")), sorted(with({"auto", "native"}, schedule::allgatherv())));
  EXPECT_EQ(sorted(allowed("HEDDLE_ALLTOALLV")), sorted(with({"auto", "native"}, schedule::alltoallv())));
  EXPECT_EQ(sorted(allowed("HEDDLE_EXCHANGE")), sorted(with({"auto"}, schedule::exchange())));
  all_parse(allowed("HEDDLE_ALLGATHERV"), settings::allgatherv);
  all_parse(allowed("HEDDLE_ALLTOALLV"), settings::alltoallv);
  all_parse(allowed("HEDDLE_EXCHANGE"), settings::exchange);
}

TEST(SettingsValues, AreTheSchemesInTheirOrder) {
  Names schemes = {"auto", "native"};
  for (const select::Scheme one : select::schemes) schemes.emplace_back(select::name(one));
  EXPECT_EQ(allowed("HEDDLE_SCHEME"), schemes);
  all_parse(schemes, settings::scheme);
  // The two enums list the same schemes in the same order, after automatic and native.
  for (std::size_t i = 0; i < select::schemes.size(); ++i)
    EXPECT_EQ(static_cast<std::size_t>(settings::scheme(select::name(select::schemes[i])).value),
              static_cast<std::size_t>(settings::Scheme::bc_spup) + i);
}

TEST(SettingsValues, AreTheInstructionSetsWithKernels) {
  using layout::kernel::Isa;
  Names sets = {"auto"};
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512}) sets.emplace_back(name(isa));
  EXPECT_EQ(allowed("HEDDLE_ISA"), sets);
  all_parse(sets, settings::isa);
}

TEST(SettingsValues, AreTheTransports) {
  Names names;
  for (const transport::TransportEntry& one : transport::transports) names.emplace_back(one.name);
  const std::string values = split(allowed("HEDDLE_TRANSPORTS").front(), ' ').back();  // "auto, or a list of self,mapped,..."
  EXPECT_EQ(sorted(split(values, ',')), sorted(names));
  all_parse(names, settings::transports);
}

}  // namespace
}  // namespace heddle
