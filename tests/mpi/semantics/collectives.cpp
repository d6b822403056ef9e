// Blocking collectives with random types and counts. Every rank describes the signature by
// datatypes of its own, also by predefined types. The tests compare received data byte by byte with
// the standard's result, holes and guards included.
#include "support/rounds.hpp"

namespace heddle::test::collectives_tests {

TEST_EACH_RANKS(1, 8, Collectives, Bcast) {
  each_round(team, 20, [&](Round& r, int number) {
    const Side side = random_side(r.own, r.unit, r.units);
    Area area(blocks(side, 1), 3);
    const Memory told = r.from(r.root, 0, area.size(0));
    if (r.at_root()) area.put(0, told);
    EXPECT_EQ(MPI_Bcast(area.base(), side.number(), side.type, r.root, team.comm), MPI_SUCCESS);
    area.expect(0, told);
    HOLDS(area, to_string(*side.shape));
  });
}

TEST_EACH_RANKS(1, 8, Collectives, Gather) {
  each_round(team, 20, [&](Round& r, int number) {
    const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
    Area sent(blocks(out, 1), 3), got(blocks(in, team.size), 4);
    sent.put(0, r.from(team.rank, 0, sent.size(0)));
    const bool in_place = r.in_place && r.at_root();
    const auto own = static_cast<std::size_t>(team.rank);
    if (in_place) got.put(own, r.from(team.rank, 0, got.size(own)));
    EXPECT_EQ(MPI_Gather(in_place ? MPI_IN_PLACE : sent.base(), out.number(), out.type, got.base(), in.number(), in.type,
                         r.root, team.comm),
              MPI_SUCCESS);
    if (r.at_root())
      for (int i = 0; i < team.size; ++i) got.expect(static_cast<std::size_t>(i), r.from(i, 0, got.size(0)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Collectives, Scatter) {
  each_round(team, 20, [&](Round& r, int number) {
    const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
    Area sent(blocks(out, team.size), 3), got(blocks(in, 1), 4);
    for (int i = 0; i < team.size; ++i) sent.put(static_cast<std::size_t>(i), r.from(r.root, i, sent.size(0)));
    const bool in_place = r.in_place && r.at_root();
    EXPECT_EQ(MPI_Scatter(sent.base(), out.number(), out.type, in_place ? MPI_IN_PLACE : got.base(), in.number(), in.type,
                          r.root, team.comm),
              MPI_SUCCESS);
    if (!in_place) got.expect(0, r.from(r.root, team.rank, got.size(0)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Collectives, Allgather) {
  each_round(team, 20, [&](Round& r, int number) {
    const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
    Area sent(blocks(out, 1), 3), got(blocks(in, team.size), 4);
    sent.put(0, r.from(team.rank, 0, sent.size(0)));
    const auto own = static_cast<std::size_t>(team.rank);
    if (r.in_place) got.put(own, r.from(team.rank, 0, got.size(own)));
    EXPECT_EQ(MPI_Allgather(r.in_place ? MPI_IN_PLACE : sent.base(), out.number(), out.type, got.base(), in.number(), in.type,
                            team.comm),
              MPI_SUCCESS);
    for (int i = 0; i < team.size; ++i) got.expect(static_cast<std::size_t>(i), r.from(i, 0, got.size(0)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Collectives, Alltoall) {
  each_round(team, 20, [&](Round& r, int number) {
    const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
    Area sent(blocks(out, team.size), 3), got(blocks(in, team.size), 4);
    for (int i = 0; i < team.size; ++i)
      (r.in_place ? got : sent).put(static_cast<std::size_t>(i), r.from(team.rank, i, sent.size(0)));
    EXPECT_EQ(MPI_Alltoall(r.in_place ? MPI_IN_PLACE : sent.base(), out.number(), out.type, got.base(), in.number(), in.type,
                           team.comm),
              MPI_SUCCESS);
    for (int i = 0; i < team.size; ++i) got.expect(static_cast<std::size_t>(i), r.from(i, team.rank, got.size(0)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Collectives, Gatherv) {
  each_round(team, 20, [&](Round& r, int number) {
    const Side out = random_side(r.own, r.unit, r.volume(team.rank, 0)), in = random_element(r.own, r.unit);
    std::vector<Count> volumes;
    for (int i = 0; i < team.size; ++i) volumes.push_back(r.volume(i, 0));
    const Spread spread(in, volumes, r.own.rarely(2));
    Area sent(blocks(out, 1), 3), got(spread.blocks, 4);
    sent.put(0, r.from(team.rank, 0, sent.size(0)));
    const bool in_place = r.in_place && r.at_root();
    const auto own = static_cast<std::size_t>(team.rank);
    if (in_place) got.put(own, r.from(team.rank, 0, got.size(own)));
    EXPECT_EQ(MPI_Gatherv(in_place ? MPI_IN_PLACE : sent.base(), out.number(), out.type, got.base(), spread.counts.data(),
                          spread.displacements.data(), in.type, r.root, team.comm),
              MPI_SUCCESS);
    if (r.at_root())
      for (std::size_t i = 0; i < volumes.size(); ++i) got.expect(i, r.from(static_cast<int>(i), 0, got.size(i)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Collectives, Scatterv) {
  each_round(team, 20, [&](Round& r, int number) {
    const Side out = random_element(r.own, r.unit), in = random_side(r.own, r.unit, r.volume(0, team.rank));
    std::vector<Count> volumes;
    for (int i = 0; i < team.size; ++i) volumes.push_back(r.volume(0, i));
    const Spread spread(out, volumes, r.own.rarely(2));
    Area sent(spread.blocks, 3), got(blocks(in, 1), 4);
    for (std::size_t i = 0; i < volumes.size(); ++i) sent.put(i, r.from(r.root, static_cast<int>(i), sent.size(i)));
    const bool in_place = r.in_place && r.at_root();
    EXPECT_EQ(MPI_Scatterv(sent.base(), spread.counts.data(), spread.displacements.data(), out.type,
                           in_place ? MPI_IN_PLACE : got.base(), in.number(), in.type, r.root, team.comm),
              MPI_SUCCESS);
    if (!in_place) got.expect(0, r.from(r.root, team.rank, got.size(0)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Collectives, Allgatherv) {
  each_round(team, 20, [&](Round& r, int number) {
    Side out = random_side(r.own, r.unit, r.volume(team.rank, 0)), in = random_element(r.own, r.unit);
    if (!Round::types_may_differ()) {
      out = in;
      out.count *= r.volume(team.rank, 0);
    }
    std::vector<Count> volumes;
    for (int i = 0; i < team.size; ++i) volumes.push_back(r.volume(i, 0));
    const Spread spread(in, volumes, r.own.rarely(2));
    Area sent(blocks(out, 1), 3), got(spread.blocks, 4);
    sent.put(0, r.from(team.rank, 0, sent.size(0)));
    const auto own = static_cast<std::size_t>(team.rank);
    if (r.in_place) got.put(own, r.from(team.rank, 0, got.size(own)));
    EXPECT_EQ(MPI_Allgatherv(r.in_place ? MPI_IN_PLACE : sent.base(), out.number(), out.type, got.base(), spread.counts.data(),
                             spread.displacements.data(), in.type, team.comm),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < volumes.size(); ++i) got.expect(i, r.from(static_cast<int>(i), 0, got.size(i)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Collectives, Alltoallv) {
  each_round(team, 20, [&](Round& r, int number) {
    const Side out = random_element(r.own, r.unit), in = random_element(r.own, r.unit);
    // In place, a rank sends to each rank as much as it receives from it.
    const auto volume = [&](int a, int b) { return r.in_place ? r.volume(std::min(a, b), std::max(a, b)) : r.volume(a, b); };
    std::vector<Count> outgoing, incoming;
    for (int i = 0; i < team.size; ++i) {
      outgoing.push_back(volume(team.rank, i));
      incoming.push_back(volume(i, team.rank));
    }
    const Spread to(out, outgoing, r.own.rarely(2)), from(in, incoming, r.own.rarely(2));
    Area sent(to.blocks, 3), got(from.blocks, 4);
    Area& source = r.in_place ? got : sent;
    for (std::size_t i = 0; i < outgoing.size(); ++i) source.put(i, r.from(team.rank, static_cast<int>(i), source.size(i)));
    EXPECT_EQ(MPI_Alltoallv(r.in_place ? MPI_IN_PLACE : sent.base(), to.counts.data(), to.displacements.data(), out.type,
                            got.base(), from.counts.data(), from.displacements.data(), in.type, team.comm),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < incoming.size(); ++i) got.expect(i, r.from(static_cast<int>(i), team.rank, got.size(i)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Collectives, Alltoallw) {
  // Open MPI 5.0.11 alone takes the displacements of a single rank for numbers of extents.
  if (!Round::types_may_differ() && team.size == 1) return;
  each_round(team, 20, [&](Round& r, int number) {
    const auto volume = [&](int a, int b) { return r.in_place ? r.volume(std::min(a, b), std::max(a, b)) : r.volume(a, b); };
    Mosaic<int> to, from;
    for (int i = 0; i < team.size; ++i) {
      to.add(random_side(r.own, r.unit, volume(team.rank, i)));
      from.add(random_side(r.own, r.unit, volume(i, team.rank)));
    }
    Area sent(to.blocks, 3), got(from.blocks, 4);
    Area& source = r.in_place ? got : sent;
    for (std::size_t i = 0; i < to.blocks.size(); ++i) source.put(i, r.from(team.rank, static_cast<int>(i), source.size(i)));
    EXPECT_EQ(MPI_Alltoallw(r.in_place ? MPI_IN_PLACE : sent.base(), to.counts.data(), to.displacements.data(), to.types.data(),
                            got.base(), from.counts.data(), from.displacements.data(), from.types.data(), team.comm),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < from.blocks.size(); ++i) got.expect(i, r.from(static_cast<int>(i), team.rank, got.size(i)));
    HOLDS(got, to_string(*from.sides.front().shape));
    HOLDS(sent, "sent data");
  });
}

// The data begin behind the start of their type. Heddle must hand on the program's displacements
// (Open MPI 5.0.11 gets those of a single rank wrong).
TEST_EACH_RANKS(1, 2, Collectives, AlltoallwFromBehindAHole) {
  const Committed behind("resized(struct([1], [16], [int64_t]), 0, 32)"), plain("int64_t");
  const std::vector<MPI_Datatype> holes(static_cast<std::size_t>(team.size), behind), numbers(holes.size(), plain);
  const std::vector<int> ones(holes.size(), 1);
  std::vector<int> far, near;
  for (int i = 0; i < team.size; ++i) far.push_back(32 * i), near.push_back(8 * i);
  std::vector<std::int64_t> wide(4 * holes.size(), -1), packed(holes.size(), -1);
  for (int i = 0; i < team.size; ++i) wide[static_cast<std::size_t>(4 * i + 2)] = 10 * team.rank + i;
  EXPECT_EQ(MPI_Alltoallw(wide.data(), ones.data(), far.data(), holes.data(), packed.data(), ones.data(), near.data(),
                          numbers.data(), team.comm),
            MPI_SUCCESS);
  for (int i = 0; i < team.size; ++i) EXPECT_EQ(packed[static_cast<std::size_t>(i)], 10 * i + team.rank);
  std::ranges::fill(wide, -1);
  EXPECT_EQ(MPI_Alltoallw(packed.data(), ones.data(), near.data(), numbers.data(), wide.data(), ones.data(), far.data(),
                          holes.data(), team.comm),
            MPI_SUCCESS);
  for (int i = 0; i < team.size; ++i) {
    EXPECT_EQ(wide[static_cast<std::size_t>(4 * i + 2)], 10 * team.rank + i);
    EXPECT_EQ(wide[static_cast<std::size_t>(4 * i)], -1);
  }
}

}  // namespace heddle::test::collectives_tests
