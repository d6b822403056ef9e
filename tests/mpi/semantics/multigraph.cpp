// Neighbourhood collectives in which a rank is a neighbour several times, itself included, as on a
// small torus. The k-th block from a rank belongs to its k-th edge to this rank.
#include <algorithm>
#include <optional>

#include "support/rounds.hpp"

namespace heddle::test::multigraph_tests {
namespace {

struct Edge {
  int rank;  ///< The rank at the other end.
  int k;     ///< The edge's number among those between the two in this direction.
};

/// Every pair of ranks has up to four edges each way.
struct Multigraph {
  MPI_Comm comm = MPI_COMM_NULL;
  std::vector<Edge> sources, destinations;

  Multigraph(Chooser& choose, const Team& team) {
    for (int from = 0; from < team.size; ++from)
      for (int to = 0; to < team.size; ++to)
        for (int k = 0, edges = static_cast<int>(choose.upto(4)); k < edges; ++k) {
          if (to == team.rank) sources.push_back({from, k});
          if (from == team.rank) destinations.push_back({to, k});
        }
    if (choose.upto(1) == 1) mix(destinations);
    const std::vector<int> in = ranks(sources), out = ranks(destinations);
    MPI_Dist_graph_create_adjacent(team.comm, static_cast<int>(sources.size()), in.data(), MPI_UNWEIGHTED,
                                   static_cast<int>(destinations.size()), out.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &comm);
  }
  Multigraph(const Multigraph&) = delete;
  Multigraph& operator=(const Multigraph&) = delete;
  ~Multigraph() { MPI_Comm_free(&comm); }

 private:
  /// Sorts by the number of the edge and not by rank, as directions of a stencil do.
  static void mix(std::vector<Edge>& edges) {
    std::ranges::stable_sort(edges, [](const Edge& one, const Edge& other) { return one.k < other.k; });
  }
  static std::vector<int> ranks(const std::vector<Edge>& edges) {
    std::vector<int> all;
    all.reserve(edges.size() + 1);  // so there is an address even without edges
    for (const Edge& edge : edges) all.push_back(edge.rank);
    return all;
  }
};

/// The arguments of MPI_Neighbor_alltoallw on such a graph, and the expected result.
class Call {
 public:
  Call(Round& r, const Multigraph& around) : r_(r), around_(around) {
    for (const Edge& edge : around.destinations)
      to_.add(random_side(r.own, r.unit, r.volume(r.team.rank, named(edge.rank, edge.k))));
    for (const Edge& edge : around.sources)
      from_.add(random_side(r.own, r.unit, r.volume(edge.rank, named(r.team.rank, edge.k))));
    sent_.emplace(to_.blocks, 3);
    got_.emplace(from_.blocks, 4);
  }
  /// begin(MPI_Neighbor_alltoallw), or begin(MPI_Ineighbor_alltoallw, &request), ...
  template <class Procedure, class... More>
  int begin(Procedure procedure, More... more) {
    return procedure(sent_->base(), to_.counts.data(), to_.displacements.data(), to_.types.data(), got_->base(),
                     from_.counts.data(), from_.displacements.data(), from_.types.data(), around_.comm, more...);
  }
  /// Writes the data of a turn.
  void fill(std::uint32_t turn) {
    for (std::size_t i = 0; i < around_.destinations.size(); ++i)
      sent_->put(i, said(turn, r_.team.rank, around_.destinations[i].rank, around_.destinations[i].k, sent_->size(i)));
  }
  void check(std::uint32_t turn, int number) {
    const Team& team = r_.team;
    for (std::size_t i = 0; i < around_.sources.size(); ++i)
      got_->expect(i, said(turn, around_.sources[i].rank, team.rank, around_.sources[i].k, got_->size(i)));
    HOLDS(*got_, "blocks of " << around_.sources.size() << " edges, turn " << turn);
    HOLDS(*sent_, "sent data");
  }

 private:
  /// A number for an edge, for random numbers.
  static int named(int to, int k) { return to * 8 + k; }
  [[nodiscard]] Memory said(std::uint32_t turn, int from, int to, int k, Bytes size) const {
    return message(r_.seed + 7919 * turn, from, named(to, k), size);
  }

  Round& r_;
  const Multigraph& around_;
  Mosaic<MPI_Aint> to_, from_;
  std::optional<Area> sent_, got_;
};

}  // namespace

TEST_EACH_RANKS(1, 8, Multigraph, Blocking) {
  each_round(team, 10, [&](Round& r, int number) {
    const Multigraph around(r.common, team);
    Call call(r, around);
    // Ranks of a node have mailboxes from the fourth call on.
    for (std::uint32_t turn = 0; turn < (number % 2 == 0 ? 1U : 10U); ++turn) {
      call.fill(turn);
      EXPECT_EQ(call.begin(MPI_Neighbor_alltoallw), MPI_SUCCESS);
      call.check(turn, number);
    }
  });
}

TEST_EACH_RANKS(2, 8, Multigraph, TwoInFlight) {
  each_round(team, 5, [&](Round& r, int number) {
    const Multigraph around(r.common, team);
    Call first(r, around), second(r, around);
    MPI_Request requests[2];
    first.fill(1);
    second.fill(2);
    EXPECT_EQ(first.begin(MPI_Ineighbor_alltoallw, &requests[0]), MPI_SUCCESS);
    EXPECT_EQ(second.begin(MPI_Ineighbor_alltoallw, &requests[1]), MPI_SUCCESS);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    first.check(1, number);
    second.check(2, number);
  });
}

/// Heddle does not see that the type is committed. So the host packs it, also in an aggregate and
/// for the rank itself.
TEST_EACH_RANKS(1, 4, Multigraph, TypesThatHeddleHasNotSeen) {
  constexpr int edges = 3, n = 50;
  const int next = (team.rank + 1) % team.size, previous = (team.rank + team.size - 1) % team.size;
  const std::vector<int> to(edges, next), from(edges, previous), counts(edges, 1);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(team.comm, edges, from.data(), MPI_UNWEIGHTED, edges, to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &comm);
  MPI_Datatype column = MPI_DATATYPE_NULL;
  MPI_Type_vector(n, 1, edges, MPI_INT, &column);
  PMPI_Type_commit(&column);
  std::vector<int> sent(edges * n), got(edges * n, -1);
  for (int i = 0; i < edges * n; ++i) sent[static_cast<std::size_t>(i)] = 1000 * team.rank + i;
  std::vector<MPI_Aint> at;
  for (int k = 0; k < edges; ++k) at.push_back(k * 4);
  const std::vector<MPI_Datatype> types(edges, column);
  for (int call = 0; call < 6; ++call) {
    std::ranges::fill(got, -1);
    MPI_Neighbor_alltoallw(sent.data(), counts.data(), at.data(), types.data(), got.data(), counts.data(), at.data(),
                           types.data(), comm);
    for (int i = 0; i < edges * n; ++i) EXPECT_EQ(got[static_cast<std::size_t>(i)], 1000 * previous + i) << call;
  }
  MPI_Type_free(&column);
  MPI_Comm_free(&comm);
}

#if MPI_VERSION >= 4 || defined(OPEN_MPI)
TEST_EACH_RANKS(2, 8, Multigraph, PersistentTwice) {
  each_round(team, 5, [&](Round& r, int number) {
    const Multigraph around(r.common, team);
    Call call(r, around);
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(call.begin(MPI_Neighbor_alltoallw_init, MPI_INFO_NULL, &request), MPI_SUCCESS);
    for (const std::uint32_t turn : {1U, 2U}) {
      call.fill(turn);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      call.check(turn, number);
    }
    MPI_Request_free(&request);
  });
}
#endif

/// Short blocks to one neighbour travel together, and are taken apart at the end. By then the
/// program has freed their types, and the handles may mean other types.
TEST_EACH_RANKS(2, 3, Multigraph, TypesFreedBeforeTheEnd) {
  constexpr int edges = 100;
  constexpr int words = 8;  // words for each block
  const int next = (team.rank + 1) % team.size;
  const int previous = (team.rank + team.size - 1) % team.size;
  const std::vector<int> from(edges, previous);
  const std::vector<int> to(edges, next);
  MPI_Comm comm = MPI_COMM_NULL;
  MPI_Dist_graph_create_adjacent(team.comm, edges, from.data(), MPI_UNWEIGHTED, edges, to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL,
                                 0, &comm);
  const auto commit = [](MPI_Datatype& type, int stride) {
    MPI_Type_vector(2, 1, stride, MPI_INT, &type);
    MPI_Type_commit(&type);
  };
  for (int turn = 0; turn < 5; ++turn) {
    std::vector<MPI_Datatype> sent(edges);
    std::vector<MPI_Datatype> received(edges);
    std::vector<MPI_Datatype> others(2 * edges);
    std::vector<MPI_Aint> places(edges);
    const std::vector<int> ones(edges, 1);
    std::vector<int> out(edges * words);
    std::vector<int> in(out.size(), -1);
    for (std::size_t i = 0; i < edges; ++i) {
      commit(sent[i], 3);
      commit(received[i], 5);
      places[i] = static_cast<MPI_Aint>(i * words * sizeof(int));
    }
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = 1000 * team.rank + static_cast<int>(i) + turn;
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(MPI_Ineighbor_alltoallw(out.data(), ones.data(), places.data(), sent.data(), in.data(), ones.data(),
                                      places.data(), received.data(), comm, &request),
              MPI_SUCCESS);
    for (MPI_Datatype& type : sent) MPI_Type_free(&type);
    for (MPI_Datatype& type : received) MPI_Type_free(&type);
    for (MPI_Datatype& type : others) commit(type, 7);
    EXPECT_EQ(MPI_Wait(&request, MPI_STATUS_IGNORE), MPI_SUCCESS);
    for (MPI_Datatype& type : others) MPI_Type_free(&type);
    int wrong = 0;
    for (std::size_t i = 0; i < in.size(); ++i) {
      const std::size_t at = i % words;
      const int word = 1000 * previous + static_cast<int>(i - at) + turn;
      wrong += in[i] != (at == 0 ? word : at == 5 ? word + 3 : -1);
    }
    EXPECT_EQ(wrong, 0);
  }
  MPI_Comm_free(&comm);
}

}  // namespace heddle::test::multigraph_tests
