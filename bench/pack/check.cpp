// bench/pack/check.cpp: see check.hpp.
#include "pack/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

namespace heddle::bench::pack {
namespace {

using Memory = std::vector<std::byte>;

/// Fills with bytes that have no short period, so that all blocks differ.
void fill(std::byte* to, Bytes bytes) {
  std::uint64_t state = 0x9e3779b97f4a7c15;
  for (Bytes i = 0; i + 8 <= bytes; i += 8) {
    state = state * 6364136223846793005 + 1442695040888963407;
    const std::uint64_t word = state ^ (state >> 31);
    std::memcpy(to + i, &word, 8);
  }
}

void require_equal(const Memory& mine, const Memory& host, const char* what) {
  const auto [at, other] = std::mismatch(mine.begin(), mine.end(), host.begin());
  if (at != mine.end())
    throw std::runtime_error(fmt::format("{}: byte {} of {} is {:#04x}, the host has {:#04x}", what, at - mine.begin(),
                                         mine.size(), std::to_integer<int>(*at), std::to_integer<int>(*other)));
}

constexpr std::byte wiped{0xa5};
constexpr Bytes margin = 64;  // these bytes past the end must not change

Memory packed(const Job& job, void (Job::*pack)(std::byte*) const) {
  Memory out(job.bytes() + margin, wiped);
  (job.*pack)(out.data());
  return out;
}

Memory unpacked(const Job& job, const Memory& from, void (Job::*unpack)(const std::byte*) const) {
  std::fill_n(job.first(), job.reach(), wiped);
  (job.*unpack)(from.data());
  return {job.first(), job.first() + job.reach()};
}

}  // namespace

void check(const Job& job) {
  fill(job.first(), job.reach());
  const Memory host = packed(job, &Job::pmpi_pack);
  require_equal(packed(job, &Job::mpi_pack), host, "MPI_Pack");
  const Memory restored = unpacked(job, host, &Job::pmpi_unpack);
  require_equal(unpacked(job, host, &Job::mpi_unpack), restored, "MPI_Unpack");
  require_equal(packed(job, &Job::mpi_pack), host, "MPI_Pack after MPI_Unpack");
}

}  // namespace heddle::bench::pack
