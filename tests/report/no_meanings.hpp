// tests/report/no_meanings.hpp: Meanings of nothing, for tests that need few of them. A request is
// the number in its array.
#pragma once

#include "report/called.hpp"

namespace heddle::report {

struct NoMeanings : Meanings {
  const char* procedure(int) const noexcept override { return ""; }
  bool is_datatype(std::uint64_t) const noexcept override { return false; }
  bool is_derived(std::uint64_t) const noexcept override { return false; }
  std::string datatype(std::uint64_t) const override { return {}; }
  std::string communicator(std::uint64_t) const override { return {}; }
  std::string window(std::uint64_t) const override { return {}; }
  Described layout(std::uint64_t) const override { return {}; }
  std::int64_t size_of(std::uint64_t) const noexcept override { return 0; }
  Partners partners(std::uint64_t) const override { return {}; }
  std::pair<int, int> blocks_of(const Called&) const override { return {0, 0}; }
  Passed why(const Called&, bool) const noexcept override { return Passed::by_nature; }
  std::uint64_t type_at(const void*, int) const noexcept override { return 0; }
  std::uint64_t request_at(const void* requests, int i) const noexcept override {
    return static_cast<const std::uint64_t*>(requests)[i];
  }
  std::int64_t count_at(const void*, int) const noexcept override { return 0; }
  std::pair<int, int> status_at(const void*, int) const noexcept override { return {0, 0}; }
  bool is_cancelled(const void*, int) const noexcept override { return false; }
  std::uint64_t communicator_at(const void*) const noexcept override { return 0; }
};

}  // namespace heddle::report
