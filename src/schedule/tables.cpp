// schedule/tables.cpp: the table of each collective, in the order of `heddle algorithms`. An
// algorithm has its own file, its name in algorithms.hpp and its line here.
#include <array>

#include "schedule/algorithms.hpp"

namespace heddle::schedule {

std::span<const Algorithm* const> allgatherv() noexcept {
  static constexpr std::array table = {
      &allgatherv_ring,           &allgatherv_recursive_doubling, &allgatherv_dissemination,
      &allgatherv_pipelined_ring, &allgatherv_two_level,
  };
  return table;
}

std::span<const Algorithm* const> alltoallv() noexcept {
  static constexpr std::array table = {
      &alltoallv_round_robin, &alltoallv_direct, &alltoallv_crystal, &alltoallv_bruck, &alltoallv_two_level,
  };
  return table;
}

std::span<const Algorithm* const> exchange() noexcept {
  static constexpr std::array table = {&exchange_consensus, &exchange_crystal, &exchange_counts};
  return table;
}

const Algorithm* find(std::span<const Algorithm* const> table, std::string_view name) noexcept {
  const auto found = std::ranges::find(table, name, [](const Algorithm* one) { return one->name; });
  return found != table.end() ? *found : nullptr;
}

}  // namespace heddle::schedule
