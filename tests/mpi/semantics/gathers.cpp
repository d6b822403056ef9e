// Non-blocking and persistent gathers to all ranks and to neighbours, and gathers that go pair by
// pair. For neighbours, the host's procedure (PMPI_) gives the expected result.
#include <algorithm>
#include <functional>
#include <random>

#include "support/pmpi_spy.hpp"
#include "support/ranks.hpp"

namespace heddle::test::gathers_tests {
namespace {

using Ints = std::vector<int>;

enum class Volumes { equal, outlier, power, zeros, random };

/// The number of rows of each rank. A row has two ints.
Ints rows_of(Volumes volumes, int ranks, int most, std::uint32_t seed) {
  std::minstd_rand random(seed);
  Ints rows;
  for (int rank = 0; rank < ranks; ++rank) switch (volumes) {
      case Volumes::equal:
        rows.push_back(most);
        break;
      case Volumes::outlier:
        rows.push_back(rank == ranks / 2 ? most : 1);
        break;
      case Volumes::power:
        rows.push_back(most / (rank + 1));
        break;
      case Volumes::zeros:
        rows.push_back(rank % 3 == 1 ? most : 0);
        break;
      case Volumes::random:
        rows.push_back(static_cast<int>(random() % static_cast<unsigned>(most + 1)));
        break;
    }
  return rows;
}

/// Rows of two ints, with two ints between them or without.
class Rows {
 public:
  explicit Rows(bool holes) : holes_(holes) {
    const int lengths[1] = {2};
    const MPI_Aint places[1] = {0};
    MPI_Datatype two = MPI_DATATYPE_NULL, ints[1] = {MPI_INT};
    MPI_Type_create_struct(1, lengths, places, ints, &two);
    MPI_Type_create_resized(two, 0, holes ? 16 : 8, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&two);
  }
  ~Rows() { free(); }
  Rows(const Rows&) = delete;
  Rows& operator=(const Rows&) = delete;
  void free() {
    if (type_ != MPI_DATATYPE_NULL) MPI_Type_free(&type_);
  }
  [[nodiscard]] MPI_Datatype type() const { return type_; }
  /// Ints from one row to the next.
  [[nodiscard]] std::size_t ints() const { return holes_ ? 4 : 2; }

 private:
  bool holes_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

int value(int from, int at, int salt) { return salt * 1'000'003 + from * 10'007 + at; }

/// MPICH 5.0.2 alone cuts messages by the extent of each rank's own type, and fails if extents
/// differ.
bool differ() {
#if defined(OPEN_MPI)
  return true;
#else
  return expected() == Expected::on;
#endif
}

/// A gather to all: its arguments, its memory, and the expected memory.
struct All {
  All(const Team& given, Volumes volumes, int most, std::uint32_t seed, bool in_order)
      : team(given),
        out(team.rank % 2 == 0),
        in(differ() ? team.rank % 3 != 0 : most % 2 == 0),
        rows(rows_of(volumes, team.size, most, seed)) {
    Ints order(rows.size());
    for (int i = 0; i < team.size; ++i) order[static_cast<std::size_t>(i)] = in_order ? i : team.size - 1 - i;
    places.resize(rows.size());
    int place = 1;
    for (const int rank : order) {
      places[static_cast<std::size_t>(rank)] = place;
      place += rows[static_cast<std::size_t>(rank)] + (in_order ? 0 : 1);
    }
    for (Ints* memory : {&got, &wanted}) memory->assign(4 * static_cast<std::size_t>(place + 1), -1);
    sent.resize(4 * static_cast<std::size_t>(mine()) + 4);
  }
  [[nodiscard]] int mine() const { return rows[static_cast<std::size_t>(team.rank)]; }
  void fill(int salt, bool in_place) {
    for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = -2;
    put(sent, out, 0, team.rank, salt);
    for (Ints* memory : {&got, &wanted}) std::ranges::fill(*memory, -1);
    for (int rank = 0; rank < team.size; ++rank) put(wanted, in, places[static_cast<std::size_t>(rank)], rank, salt);
    if (in_place) put(got, in, places[static_cast<std::size_t>(team.rank)], team.rank, salt);
  }
  /// Calls `call` with all arguments of MPI_Allgatherv. @param into  The receive buffer.
  template <class Call>
  int with(Call call, Ints& into, bool in_place) {
    return call(in_place ? MPI_IN_PLACE : static_cast<const void*>(sent.data()), in_place ? 0 : mine(),
                in_place ? MPI_DATATYPE_NULL : out.type(), into.data(), rows.data(), places.data(), in.type(), team.comm);
  }
  void put(Ints& memory, const Rows& rows_there, int place, int rank, int salt) const {
    const std::size_t ints = rows_there.ints();
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows[static_cast<std::size_t>(rank)]); ++i)
      for (std::size_t j = 0; j < 2; ++j)
        memory[(static_cast<std::size_t>(place) + i) * ints + j] = value(rank, static_cast<int>(2 * i + j), salt);
  }

  Team team;
  Rows out, in;
  Ints rows, places, sent, got, wanted;
};

constexpr Volumes spreads[] = {Volumes::equal, Volumes::outlier, Volumes::power, Volumes::zeros, Volumes::random};

/// A blocking call makes the objects that a communicator needs once.
void warm(const Team& team) {
  All first(team, Volumes::equal, 1000, 1, true);
  first.fill(9, false);
  EXPECT_EQ(first.with(MPI_Allgatherv, first.got, false), MPI_SUCCESS);
  EXPECT_EQ(first.got, first.wanted);
}

}  // namespace

TEST_EACH_RANKS(1, 17, Gathers, NotBlocking) {
  warm(team);
  int salt = 0;
  for (const Volumes volumes : spreads)
    for (const int most : {4, 9'000}) {
      const bool in_place = salt % 3 == 1;
      All one(team, volumes, most, run_seed() + 1, true), other(team, volumes, most / 2, run_seed() + 2, false);
      MPI_Request requests[2];
      for (All* all : {&one, &other}) all->fill(++salt, in_place);
      const auto begin = [&](MPI_Request* request) {
        return [=](auto... given) { return MPI_Iallgatherv(given..., request); };
      };
      EXPECT_EQ(one.with(begin(&requests[0]), one.got, in_place), MPI_SUCCESS);
      EXPECT_EQ(other.with(begin(&requests[1]), other.got, in_place), MPI_SUCCESS);
      for (All* all : {&one, &other}) all->in.free();
      for (const int which : {team.rank % 2, 1 - team.rank % 2}) MPI_Wait(&requests[which], MPI_STATUS_IGNORE);
      EXPECT_EQ(one.got, one.wanted) << "volumes " << static_cast<int>(volumes) << ", " << most;
      EXPECT_EQ(other.got, other.wanted) << "volumes " << static_cast<int>(volumes) << ", " << most / 2;
    }
}

// A rank in a call of the host does not delay the blocks of other ranks: no rank passes on another
// rank's block.
TEST_EACH_RANKS(2, 5, Gathers, OneRankSitsInABarrierMeanwhile) {
  warm(team);
  for (int absent = 0; absent < team.size; ++absent) {
    All all(team, Volumes::equal, 20'000, 1, true);
    all.fill(absent, false);
    MPI_Request request = MPI_REQUEST_NULL;
    EXPECT_EQ(all.with([&](auto... given) { return MPI_Iallgatherv(given..., &request); }, all.got, false), MPI_SUCCESS);
    if (team.rank == absent) MPI_Barrier(team.comm);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (team.rank != absent) MPI_Barrier(team.comm);
    EXPECT_EQ(all.got, all.wanted);
  }
}

TEST_EACH_RANKS(1, 17, Gathers, Persistent) {
  warm(team);
  for (const Volumes volumes : {Volumes::equal, Volumes::outlier, Volumes::zeros})
    for (const int most : {4, 9'000})
      for (const bool in_place : {false, true}) {
        All all(team, volumes, most, run_seed() + 3, !in_place);
        MPI_Request request = MPI_REQUEST_NULL;
        EXPECT_EQ(
            all.with([&](auto... given) { return MPI_Allgatherv_init(given..., MPI_INFO_NULL, &request); }, all.got, in_place),
            MPI_SUCCESS);
        for (int turn = 0; turn < 3; ++turn) {
          all.fill(turn, in_place);
          MPI_Start(&request);
          if (turn == 1)
            for (int done = 0; !done;) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
          else
            MPI_Wait(&request, MPI_STATUS_IGNORE);
          EXPECT_EQ(all.got, all.wanted) << "volumes " << static_cast<int>(volumes) << ", " << most;
        }
        MPI_Request_free(&request);
      }
}

namespace {

/// A communicator with neighbours: a Cartesian grid, a cycle in both directions, or a graph with
/// random edges, some twice.
MPI_Comm neighbourhood(const Team& team, int kind) {
  MPI_Comm made = MPI_COMM_NULL;
  if (kind == 0) {
    int dims[2] = {0, 0}, periods[2] = {team.size > 6, 0};
    MPI_Dims_create(team.size, 2, dims);
    MPI_Cart_create(team.comm, 2, dims, periods, 0, &made);
    return made;
  }
  std::minstd_rand random(run_seed());
  Ints from, to;
  for (int a = 0; a < team.size; ++a)
    for (int b = 0; b < team.size; ++b)
      for (int edges = kind == 1 ? (b == (a + 1) % team.size) + (a == (b + 1) % team.size) : static_cast<int>(random() % 5) - 2;
           edges > 0; --edges) {
        if (a == team.rank) to.push_back(b);
        if (b == team.rank) from.push_back(a);
      }
  from.reserve(1), to.reserve(1);
  MPI_Dist_graph_create_adjacent(team.comm, static_cast<int>(from.size()), from.data(), MPI_UNWEIGHTED,
                                 static_cast<int>(to.size()), to.data(), MPI_UNWEIGHTED, MPI_INFO_NULL, 0, &made);
  return made;
}

int neighbours_in(MPI_Comm comm) {
  int topology = 0, in = 0, out = 0, weighted = 0;
  MPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) return MPI_Cartdim_get(comm, &in), 2 * in;
  MPI_Dist_graph_neighbors_count(comm, &in, &out, &weighted);
  return in;
}

}  // namespace

TEST_EACH_RANKS(1, 17, Gathers, OfNeighbours) {
  for (int kind = 0; kind < 3; ++kind) {
    MPI_Comm comm = neighbourhood(team, kind);
    const auto degree = static_cast<std::size_t>(neighbours_in(comm));
    for (const int rows : {0, 5, 3'000}) {
      const Rows out(team.rank % 2 == 0), in(team.rank % 3 != 0);
      Ints sent(4 * static_cast<std::size_t>(rows) + 4), counts(degree + 1, rows), places(degree + 1);
      for (std::size_t i = 0; i < sent.size(); ++i) sent[i] = value(team.rank, static_cast<int>(i), rows + kind);
      for (std::size_t i = 0; i < degree; ++i) places[i] = static_cast<int>(degree - 1 - i) * (rows + 1);
      const Ints nothing(4 * (degree + 1) * static_cast<std::size_t>(rows + 2), -1);
      Ints ours = nothing, hosts = nothing, later = nothing, kept = nothing;
      const auto even = [&](auto call, Ints& into, auto... how) {
        return call(sent.data(), rows, out.type(), into.data(), rows, in.type(), comm, how...);
      };
      const auto uneven = [&](auto call, Ints& into, auto... how) {
        return call(sent.data(), rows, out.type(), into.data(), counts.data(), places.data(), in.type(), comm, how...);
      };
      const auto wait = [](MPI_Request& request, int starts) {
        for (int turn = 0; turn < std::max(1, starts); ++turn) {
          if (starts > 0) MPI_Start(&request);
          MPI_Wait(&request, MPI_STATUS_IGNORE);
        }
        if (starts > 0) MPI_Request_free(&request);
      };
      const auto expect_equal = [&](const char* name) {
        for (const Ints* each : {&ours, &later, &kept}) EXPECT_EQ(*each, hosts) << name << ", kind " << kind << ", " << rows;
        for (Ints* each : {&ours, &hosts, &later, &kept}) *each = nothing;
      };
      MPI_Request one = MPI_REQUEST_NULL, other = MPI_REQUEST_NULL;
      EXPECT_EQ(even(PMPI_Neighbor_allgather, hosts), MPI_SUCCESS);
      EXPECT_EQ(even(MPI_Neighbor_allgather, ours), MPI_SUCCESS);
      EXPECT_EQ(even(MPI_Ineighbor_allgather, later, &one), MPI_SUCCESS);
      EXPECT_EQ(even(MPI_Neighbor_allgather_init, kept, MPI_INFO_NULL, &other), MPI_SUCCESS);
      wait(one, 0), wait(other, 2);
      expect_equal("MPI_Neighbor_allgather");
      EXPECT_EQ(uneven(PMPI_Neighbor_allgatherv, hosts), MPI_SUCCESS);
      EXPECT_EQ(uneven(MPI_Neighbor_allgatherv, ours), MPI_SUCCESS);
      EXPECT_EQ(uneven(MPI_Ineighbor_allgatherv, later, &one), MPI_SUCCESS);
      EXPECT_EQ(uneven(MPI_Neighbor_allgatherv_init, kept, MPI_INFO_NULL, &other), MPI_SUCCESS);
      wait(one, 0), wait(other, 2);
      expect_equal("MPI_Neighbor_allgatherv");
    }
    MPI_Comm_free(&comm);
  }
}

/// Rank 0 commits its type without Heddle's notice. It must still take part in the exchange of the
/// other ranks.
TEST_EACH_RANKS(2, 6, Gathers, TypesThatOneRankAloneHidesFromHeddle) {
  constexpr int n = 1000, gap = 2;
  MPI_Datatype pair = MPI_DATATYPE_NULL, spaced = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1, MPI_INT, &pair);
  MPI_Type_create_resized(pair, 0, gap * 4, &spaced);
  if (team.rank == 0)
    PMPI_Type_commit(&spaced);
  else
    MPI_Type_commit(&spaced);
  const std::vector<int> counts(static_cast<std::size_t>(team.size), n);
  std::vector<int> places;
  for (int i = 0; i < team.size; ++i) places.push_back(i * n);
  const auto at = [](int rank, int i) { return static_cast<std::size_t>((rank * n + i) * gap); };

  std::vector<int> mine(at(1, 0)), all(at(team.size, 0), -1);
  for (int i = 0; i < n; ++i) mine[at(0, i)] = team.rank * n + i;
  EXPECT_EQ(MPI_Allgatherv(mine.data(), n, spaced, all.data(), counts.data(), places.data(), spaced, team.comm), MPI_SUCCESS);
  for (int rank = 0; rank < team.size; ++rank)
    for (int i = 0; i < n; ++i) EXPECT_EQ(all[at(rank, i)], rank * n + i);

  for (int rank = 0; rank < team.size; ++rank)
    for (int i = 0; i < n; ++i) all[at(rank, i)] = 1000000 * team.rank + rank * n + i;
  EXPECT_EQ(MPI_Alltoall(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, all.data(), n, spaced, team.comm), MPI_SUCCESS);
  for (int rank = 0; rank < team.size; ++rank)
    for (int i = 0; i < n; ++i) EXPECT_EQ(all[at(rank, i)], 1000000 * rank + team.rank * n + i);
  MPI_Type_free(&pair);
  MPI_Type_free(&spaced);
}

}  // namespace heddle::test::gathers_tests
