// Blocking neighbourhood collectives on Cartesian, graph and distributed graph topologies, with
// random types and counts. Every block tells its sender, and the sender's neighbour that it is for.
#include <algorithm>

#include "support/made.hpp"
#include "support/rounds.hpp"

namespace heddle::test::neighbors_tests {
namespace {

/// A topology communicator, with the ranks that this rank receives from and sends to.
struct Neighborhood {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<int> sources, destinations;
  ~Neighborhood() {
    if (comm != MPI_COMM_NULL) MPI_Comm_free(&comm);
  }
};

/// Periodic or not, in one or two dimensions.
void cartesian(Chooser& choose, const Team& team, Neighborhood& made) {
  const bool plane = team.size % 2 == 0 && choose.upto(1) == 1;
  const int sizes[2] = {plane ? 2 : team.size, team.size / 2};
  const int periods[2] = {static_cast<int>(choose.upto(1)), static_cast<int>(choose.upto(1))};
  MPI_Cart_create(team.comm, plane ? 2 : 1, sizes, periods, 0, &made.comm);
  for (int d = 0; d < (plane ? 2 : 1); ++d) {
    int before = 0, after = 0;
    MPI_Cart_shift(made.comm, d, 1, &before, &after);
    for (const int neighbor : {before, after}) {
      made.sources.push_back(neighbor);
      made.destinations.push_back(neighbor);
    }
  }
}

/// Random edges, the same on all ranks. A rank may be its own neighbour.
void distributed(Chooser& choose, const Team& team, Neighborhood& made) {
  for (int from = 0; from < team.size; ++from) {
    for (int to = 0; to < team.size; ++to) {
      if (choose.upto(2) != 0) continue;
      if (to == team.rank) made.sources.push_back(from);
      if (from == team.rank) made.destinations.push_back(to);
    }
  }
  made.sources.reserve(1);
  made.destinations.reserve(1);
  const auto degree = [](const std::vector<int>& list) { return static_cast<int>(list.size()); };
  MPI_Dist_graph_create_adjacent(team.comm, degree(made.sources), made.sources.data(), MPI_UNWEIGHTED,
                                 degree(made.destinations), made.destinations.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0,
                                 &made.comm);
}

/// A ring with chords, symmetric as MPI_Graph_create requires.
void graph(const Team& team, Neighborhood& made) {
  std::vector<int> index, edges;
  edges.reserve(1);  // so there is an address even without edges
  for (int rank = 0; rank < team.size; ++rank) {
    std::vector<int> mine;
    for (const int step : {1, team.size - 1, 2, team.size - 2})
      if (team.size > 1) mine.push_back((rank + step) % team.size);
    std::ranges::sort(mine);
    mine.erase(std::unique(mine.begin(), mine.end()), mine.end());
    std::erase(mine, rank);
    edges.insert(edges.end(), mine.begin(), mine.end());
    index.push_back(static_cast<int>(edges.size()));
    if (rank == team.rank) made.sources = made.destinations = mine;
  }
  MPI_Graph_create(team.comm, team.size, index.data(), edges.data(), 0, &made.comm);
}

std::unique_ptr<Neighborhood> neighborhood(Round& r) {
  auto made = std::make_unique<Neighborhood>();
  switch (r.common.upto(2)) {
    case 0:
      cartesian(r.common, r.team, *made);
      break;
    case 1:
      distributed(r.common, r.team, *made);
      break;
    default:
      graph(r.team, *made);
  }
  return made;
}

/// Two ranks may be neighbours twice (a ring of two). So a block's content must not depend on the
/// edge.
Memory said(const Round& r, int from, int to, Bytes size) { return r.from(from, to, size); }

/// One rank's blocks, at the places that the standard gives them. MPI_PROC_NULL sends and receives
/// nothing.
void put_all(Round& r, Area& area, const std::vector<int>& destinations) {
  for (std::size_t i = 0; i < destinations.size(); ++i) area.put(i, said(r, r.team.rank, destinations[i], area.size(i)));
}
void expect_all(Round& r, Area& area, const std::vector<int>& sources) {
  for (std::size_t i = 0; i < sources.size(); ++i)
    if (sources[i] != MPI_PROC_NULL) area.expect(i, said(r, sources[i], r.team.rank, area.size(i)));
}
int degree(const std::vector<int>& ranks) { return static_cast<int>(ranks.size()); }

}  // namespace

TEST_EACH_RANKS(1, 8, Neighbors, Allgather) {
  each_round(team, 15, [&](Round& r, int number) {
    const auto around = neighborhood(r);
    const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
    Area sent(blocks(out, 1), 3), got(blocks(in, degree(around->sources)), 4);
    sent.put(0, r.from(team.rank, 0, sent.size(0)));
    EXPECT_EQ(MPI_Neighbor_allgather(sent.base(), out.number(), out.type, got.base(), in.number(), in.type, around->comm),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < around->sources.size(); ++i)
      if (around->sources[i] != MPI_PROC_NULL) got.expect(i, r.from(around->sources[i], 0, got.size(i)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Neighbors, Allgatherv) {
  each_round(team, 15, [&](Round& r, int number) {
    const auto around = neighborhood(r);
    const Side out = random_side(r.own, r.unit, r.volume(team.rank, 0)), in = random_element(r.own, r.unit);
    std::vector<Count> volumes;
    for (const int source : around->sources) volumes.push_back(r.volume(source, 0));
    const Spread spread(in, volumes, r.own.rarely(2));
    Area sent(blocks(out, 1), 3), got(spread.blocks, 4);
    sent.put(0, r.from(team.rank, 0, sent.size(0)));
    EXPECT_EQ(MPI_Neighbor_allgatherv(sent.base(), out.number(), out.type, got.base(), spread.counts.data(),
                                      spread.displacements.data(), in.type, around->comm),
              MPI_SUCCESS);
    for (std::size_t i = 0; i < around->sources.size(); ++i)
      if (around->sources[i] != MPI_PROC_NULL) got.expect(i, r.from(around->sources[i], 0, got.size(i)));
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Neighbors, Alltoall) {
  each_round(team, 15, [&](Round& r, int number) {
    const auto around = neighborhood(r);
    const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
    Area sent(blocks(out, degree(around->destinations)), 3), got(blocks(in, degree(around->sources)), 4);
    put_all(r, sent, around->destinations);
    EXPECT_EQ(MPI_Neighbor_alltoall(sent.base(), out.number(), out.type, got.base(), in.number(), in.type, around->comm),
              MPI_SUCCESS);
    expect_all(r, got, around->sources);
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Neighbors, Alltoallv) {
  each_round(team, 15, [&](Round& r, int number) {
    const auto around = neighborhood(r);
    const Side out = random_element(r.own, r.unit), in = random_element(r.own, r.unit);
    std::vector<Count> outgoing, incoming;
    for (const int to : around->destinations) outgoing.push_back(r.volume(team.rank, to));
    for (const int from : around->sources) incoming.push_back(r.volume(from, team.rank));
    const Spread to(out, outgoing, r.own.rarely(2)), from(in, incoming, r.own.rarely(2));
    Area sent(to.blocks, 3), got(from.blocks, 4);
    put_all(r, sent, around->destinations);
    EXPECT_EQ(MPI_Neighbor_alltoallv(sent.base(), to.counts.data(), to.displacements.data(), out.type, got.base(),
                                     from.counts.data(), from.displacements.data(), in.type, around->comm),
              MPI_SUCCESS);
    expect_all(r, got, around->sources);
    HOLDS(got, to_string(*in.shape));
    HOLDS(sent, "sent data");
  });
}

TEST_EACH_RANKS(1, 8, Neighbors, Alltoallw) {
  each_round(team, 15, [&](Round& r, int number) {
    const auto around = neighborhood(r);
    Mosaic<MPI_Aint> to, from;
    for (const int rank : around->destinations) to.add(random_side(r.own, r.unit, r.volume(team.rank, rank)));
    for (const int rank : around->sources) from.add(random_side(r.own, r.unit, r.volume(rank, team.rank)));
    Area sent(to.blocks, 3), got(from.blocks, 4);
    put_all(r, sent, around->destinations);
    EXPECT_EQ(MPI_Neighbor_alltoallw(sent.base(), to.counts.data(), to.displacements.data(), to.types.data(), got.base(),
                                     from.counts.data(), from.displacements.data(), from.types.data(), around->comm),
              MPI_SUCCESS);
    expect_all(r, got, around->sources);
    HOLDS(got, "blocks of several types");
    HOLDS(sent, "sent data");
  });
}

// Rank 0 names rank 1 as a destination, and rank 1 does not name rank 0 as a source. Libraries do
// not look. No element is sent along that edge, but MPICH sends an empty message, which stays
// behind. The communicator is not freed: MPICH would give its context to a later communicator, and
// the message with it.
TEST_RANKS(2, Neighbors, AnEdgeThatOneEndDoesNotKnow) {
  const int in = team.rank == 0 ? 1 : 0, out = 1, source = 1, destination = 1 - team.rank;
  MPI_Comm comm = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Dist_graph_create_adjacent(team.comm, in, &source, MPI_UNWEIGHTED, out, &destination, MPI_UNWEIGHTED,
                                           MPI_INFO_NULL, 0, &comm),
            MPI_SUCCESS);
  for (int call = 0; call < 30; ++call) {
    const std::vector<int> sent(4, call);
    std::vector<int> got(4, -1);
    const int sends = team.rank == 0 ? 0 : 4, receives = team.rank == 0 ? 4 : 0, at = 0;
    ASSERT_EQ(MPI_Neighbor_alltoallv(sent.data(), &sends, &at, MPI_INT, got.data(), &receives, &at, MPI_INT, comm),
              MPI_SUCCESS);
    ASSERT_EQ(got, std::vector<int>(4, team.rank == 0 ? call : -1));
  }
}

}  // namespace heddle::test::neighbors_tests
