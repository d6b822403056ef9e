// Exchanges of more data than the ranks of a crowded node put into slots at once. Open MPI gets the
// types that it packs as well as Heddle. The rest is announced. A receive takes either, whatever
// its own type.
#include <sched.h>

#include <array>
#include <memory>
#include <string>

#include "support/pmpi_spy.hpp"
#include "support/rounds.hpp"

namespace heddle::test::overflow_tests {
namespace {

/// Types of 384 KiB each.
constexpr std::array rows = {"vector(768, 64, 80, double)", "subarray([800, 100], [768, 64], [3, 5], double)",
                             "resized(vector(96, 512, 520, double), -64, 400000)"};
constexpr std::array all = {rows[0],
                            rows[1],
                            rows[2],
                            "contiguous(49152, double)",
                            "contiguous(64, resized(vector(768, 1, 64, double), 0, 8))",
                            "vector(24576, 2, 3, double)",
                            "indexed([24576, 24576], [30000, 0], double)"};

Side side(const char* text) {
  Side made;
  made.shape = layout::grammar::parse(text);
  made.committed = std::make_shared<Committed>(*made.shape);
  made.type = *made.committed;
  made.count = 1;
  return made;
}

/// Every rank sends to every other rank, by types that differ from pair to pair.
template <class Types>
void exchange(const Team& team, const Types& types, int shift) {
  const auto some = [&](int which) { return side(types[static_cast<std::size_t>(which + shift) % types.size()]); };
  Mosaic<int> to, from;
  for (int i = 0; i < team.size; ++i) {
    to.add(some(team.rank + 2 * i));
    from.add(some(3 * team.rank + i));
  }
  Area sent(to.blocks, 3), got(from.blocks, 4);
  for (int i = 0; i < team.size; ++i) {
    const auto block = static_cast<std::size_t>(i);
    sent.put(block, message(run_seed(), team.rank, i, sent.size(block)));
    got.expect(block, message(run_seed(), i, team.rank, got.size(block)));
  }
  EXPECT_EQ(MPI_Alltoallw(sent.base(), to.counts.data(), to.displacements.data(), to.types.data(), got.base(),
                          from.counts.data(), from.displacements.data(), from.types.data(), team.comm),
            MPI_SUCCESS);
  EXPECT_TRUE(got.as_expected()) << got.difference() << ", shift " << shift << ", rank " << team.rank;
}

#if defined(OPEN_MPI)
bool is_crowded(int ranks) {
  cpu_set_t cores;
  return sched_getaffinity(0, sizeof cores, &cores) == 0 && CPU_COUNT(&cores) < ranks;
}
#endif

}  // namespace

TEST_RANKS(8, Overflow, OfRows) {
  [[maybe_unused]] const long before = pmpi_spy::derived("Isend");
  exchange(team, rows, 0);
#if defined(OPEN_MPI)
  if (expected() == Expected::on && is_crowded(team.size)) {
    EXPECT_GT(pmpi_spy::derived("Isend"), before);
  }
#endif
}

TEST_EACH_RANKS(3, 8, Overflow, OfAllKinds) {
  for (int shift = 0; shift < 4; ++shift) exchange(team, all, shift);
}

TEST_RANKS(8, Overflow, TooLongABlockIsTruncated) {
  if (expected() != Expected::on) GTEST_SKIP() << "hosts differ in what they call it";
  const ReturningErrors returning(team.comm);
  const Committed row("vector(768, 64, 80, double)"), shorter("vector(767, 64, 80, double)");
  const std::vector<int> ones(static_cast<std::size_t>(team.size), 1), places(static_cast<std::size_t>(team.size), 0);
  std::vector<MPI_Datatype> sent(static_cast<std::size_t>(team.size), row), got = sent;
  if (team.rank == 1) got[2] = shorter;
  const std::vector<double> out(768 * 80);
  std::vector<int> apart(static_cast<std::size_t>(team.size));
  std::vector<double> room(768 * 80 * static_cast<std::size_t>(team.size));
  for (int i = 0; i < team.size; ++i) apart[static_cast<std::size_t>(i)] = i * 768 * 80 * 8;
  const int code = MPI_Alltoallw(out.data(), ones.data(), places.data(), sent.data(), room.data(), ones.data(), apart.data(),
                                 got.data(), team.comm);
  EXPECT_EQ(error_class(code), team.rank == 1 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
}

}  // namespace heddle::test::overflow_tests
