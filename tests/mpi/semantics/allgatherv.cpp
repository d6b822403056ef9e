// MPI_Allgatherv by each algorithm, which a hint on the communicator asks for. Volumes have every
// kind of distribution, types are random, calls may be in place, and communicators have their ranks
// in another order.
#include <array>
#include <vector>

#include "support/hinted.hpp"

namespace heddle::test::allgatherv_tests {
namespace {

constexpr std::array algorithms = {"auto",      "ring",  "recursive-doubling", "dissemination", "pipelined-ring",
                                   "two-level", "native"};

}  // namespace

TEST_EACH_RANKS(1, 17, Allgatherv, OfRandomTypes) {
  each_way(team, "heddle_allgatherv", algorithms, [&](Round& r, Volumes volumes, int number) {
    std::vector<Count> rows;
    for (int i = 0; i < r.team.size; ++i) rows.push_back(units(volumes, r, i, r.team.size - 1));
    const Count mine = rows[static_cast<std::size_t>(r.team.rank)];
    const Side in = random_element(r.own, r.unit);
    Side out = in;
    if (Round::types_may_differ())
      out = random_side(r.own, r.unit, mine);
    else
      out.count *= mine;
    const Spread spread(in, rows, r.own.rarely(2));
    Area sent(blocks(out, 1), 3), got(spread.blocks, 4);
    const auto own = static_cast<std::size_t>(r.team.rank);
    sent.put(0, r.from(r.team.rank, 0, sent.size(0)));
    if (r.in_place) got.put(own, r.from(r.team.rank, 0, got.size(own)));
    EXPECT_EQ(MPI_Allgatherv(r.in_place ? MPI_IN_PLACE : sent.base(), out.number(), out.type, got.base(), spread.counts.data(),
                             spread.displacements.data(), in.type, r.team.comm),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < rows.size(); ++i) got.expect(i, r.from(static_cast<int>(i), 0, got.size(i)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

}  // namespace heddle::test::allgatherv_tests
