// Compares collectives with the host's. Each call is made through Heddle, by PMPI_, and if the host
// has large counts also by the _c form. Every byte of the receive buffers must agree, also in holes
// and between blocks. All ranks use the same types here, because hosts are not always right if
// types differ (rounds.hpp).
#include <algorithm>

#include "support/known_host_errors.hpp"
#include "support/rounds.hpp"

namespace heddle::test::compared_tests {
namespace {

enum class By { heddle, host, heddle_large };

/// An array argument in both widths.
class Array {
 public:
  template <class Integers>
  Array(const Integers& values) : narrow_(values.begin(), values.end()), wide_(values.begin(), values.end()) {  // NOLINT
    narrow_.reserve(1), wide_.reserve(1);
  }
  template <class Integer>
  operator const Integer*() const {  // NOLINT: the type that the procedure takes
    if constexpr (sizeof(Integer) == sizeof(int))
      return reinterpret_cast<const Integer*>(narrow_.data());
    else
      return reinterpret_cast<const Integer*>(wide_.data());
  }

 private:
  std::vector<int> narrow_;
  std::vector<std::int64_t> wide_;
};

#if HOST_LARGE_COUNTS
constexpr By ways[] = {By::heddle, By::heddle_large};
#define CALL(name, ...) \
  (by == By::host ? PMPI_##name(__VA_ARGS__) : by == By::heddle ? MPI_##name(__VA_ARGS__) : MPI_##name##_c(__VA_ARGS__))
#else
constexpr By ways[] = {By::heddle};
#define CALL(name, ...) (by == By::host ? PMPI_##name(__VA_ARGS__) : MPI_##name(__VA_ARGS__))
#endif

/// A ring, open or closed.
class Ring {
 public:
  Ring(const Team& team, int closed) { MPI_Cart_create(team.comm, 1, &team.size, &closed, 0, &comm_); }
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;
  ~Ring() { MPI_Comm_free(&comm_); }
  operator MPI_Comm() const { return comm_; }  // NOLINT

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;
};

struct Comparison {
  Round& r;
  int number;

  template <class Call>
  void operator()(const char* what, const std::vector<Area::Block>& out, const std::vector<Area::Block>& in,
                  const Call& call) const {
    const auto garbled = [](const Area::Block& block) { return host_garbles(*block.shape, block.count); };
    int any = std::ranges::any_of(out, garbled) || std::ranges::any_of(in, garbled);
    PMPI_Allreduce(MPI_IN_PLACE, &any, 1, MPI_INT, MPI_MAX, r.team.comm);
    if (any) return;  // other tests check the content
    Area sent(out, 3), wanted(in, 4);
    for (std::size_t i = 0; i < out.size(); ++i) sent.put(i, r.from(r.team.rank, static_cast<int>(i), sent.size(i)));
    EXPECT_EQ(call(By::host, sent.base(), wanted.base()), MPI_SUCCESS) << what;
    for (const By by : ways) {
      Area got(in, 4);
      EXPECT_EQ(call(by, sent.base(), got.base()), MPI_SUCCESS) << what;
      EXPECT_TRUE(got.same_as(wanted)) << what << (by == By::heddle ? "" : "_c") << ", round " << number << ", rank "
                                       << r.team.rank << ", received as " << to_string(*in.front().shape);
    }
  }
};

/// `volume` times a unit.
Side several(Side side, Count volume) {
  side.count *= volume;
  return side;
}

}  // namespace

TEST_EACH_RANKS(1, 8, Compared, EveryCollectiveWithTheHost) {
  each_round(team, 8, [&](Round& r, int number) {
    const Comparison compare{r, number};
    const Choices choices = choices_of(r.seed + 1);
    Chooser alike(choices);
    const Side o = random_element(alike, r.unit), i = random_element(alike, r.unit);
    const Count volume = 1 + r.units % 4;
    const Side out = several(o, volume), in = several(i, volume), own = several(i, r.volume(team.rank, 0));
    std::vector<Count> outgoing, incoming, all;
    for (int rank = 0; rank < team.size; ++rank) {
      outgoing.push_back(r.volume(team.rank, rank));
      incoming.push_back(r.volume(rank, team.rank));
      all.push_back(r.volume(rank, 0));
    }
    const Spread to(o, outgoing, true), from(i, incoming, false), of_all(i, all, true);
    const Array to_n(to.counts), to_at(to.displacements), from_n(from.counts), from_at(from.displacements),
        all_n(of_all.counts), all_at(of_all.displacements);
    const int n = out.number(), m = in.number(), root = r.root;
    const MPI_Comm comm = team.comm;

    compare("Bcast", blocks(out, 1), blocks(out, 1), [&](By by, void* a, void* b) {
      // PMPI_ fills the buffer of the broadcast, so the root's bytes do not depend on the compared
      // library.
      PMPI_Sendrecv(a, n, out.type, team.rank, 1, b, n, out.type, team.rank, 1, comm, MPI_STATUS_IGNORE);
      return CALL(Bcast, b, n, out.type, root, comm);
    });
    compare("Gather", blocks(out, 1), blocks(in, team.size),
            [&](By by, void* a, void* b) { return CALL(Gather, a, n, out.type, b, m, in.type, root, comm); });
    compare("Scatter", blocks(out, team.size), blocks(in, 1),
            [&](By by, void* a, void* b) { return CALL(Scatter, a, n, out.type, b, m, in.type, root, comm); });
    compare("Allgather", blocks(out, 1), blocks(in, team.size),
            [&](By by, void* a, void* b) { return CALL(Allgather, a, n, out.type, b, m, in.type, comm); });
    compare("Alltoall", blocks(out, team.size), blocks(in, team.size),
            [&](By by, void* a, void* b) { return CALL(Alltoall, a, n, out.type, b, m, in.type, comm); });
    compare("Gatherv", blocks(own, 1), of_all.blocks, [&](By by, void* a, void* b) {
      return CALL(Gatherv, a, own.number(), own.type, b, all_n, all_at, i.type, root, comm);
    });
    compare("Scatterv", of_all.blocks, blocks(own, 1), [&](By by, void* a, void* b) {
      return CALL(Scatterv, a, all_n, all_at, i.type, b, own.number(), own.type, root, comm);
    });
    compare("Allgatherv", blocks(own, 1), of_all.blocks, [&](By by, void* a, void* b) {
      return CALL(Allgatherv, a, own.number(), own.type, b, all_n, all_at, i.type, comm);
    });
    compare("Alltoallv", to.blocks, from.blocks,
            [&](By by, void* a, void* b) { return CALL(Alltoallv, a, to_n, to_at, o.type, b, from_n, from_at, i.type, comm); });
#if defined(OPEN_MPI)
    if (team.size == 1) return;  // 5.0.11 takes the displacements of a single rank for numbers of extents
#endif
    Mosaic<int> w_to, w_from;
    for (const Count each : outgoing) w_to.add(several(each % 2 ? o : i, each));
    for (const Count each : incoming) w_from.add(several(each % 2 ? i : o, each));
    const Array w_to_n(w_to.counts), w_to_at(w_to.displacements), w_from_n(w_from.counts), w_from_at(w_from.displacements);
    compare("Alltoallw", w_to.blocks, w_from.blocks, [&](By by, void* a, void* b) {
      return CALL(Alltoallw, a, w_to_n, w_to_at, w_to.types.data(), b, w_from_n, w_from_at, w_from.types.data(), comm);
    });
  });
}

TEST_EACH_RANKS(2, 8, Compared, EveryNeighbourhoodCollectiveWithTheHost) {
  each_round(team, 8, [&](Round& r, int number) {
    const Comparison compare{r, number};
    const Ring ring(team, static_cast<int>(r.common.upto(1)));
    const Choices choices = choices_of(r.seed + 1);
    Chooser alike(choices);
    const Side o = random_element(alike, r.unit), i = random_element(alike, r.unit);
    const Count volume = 1 + r.units % 4;
    const Side out = several(o, volume), in = several(i, volume);
    // Between any two ranks, as much goes up the ring as down.
    const auto between = [&](int a, int b) {
      a = (a + team.size) % team.size, b = (b + team.size) % team.size;
      return 1 + r.volume(std::min(a, b), std::max(a, b));
    };
    const std::vector<Count> both = {between(team.rank, team.rank - 1), between(team.rank, team.rank + 1)};
    const std::vector<Count> same = {volume, volume};
    const Spread to(o, both, true), from(i, both, false), all(i, same, true);
    const Array to_n(to.counts), to_at(to.displacements), from_n(from.counts), from_at(from.displacements), all_n(all.counts),
        all_at(all.displacements);
    const int n = out.number(), m = in.number();

    compare("Neighbor_allgather", blocks(out, 1), blocks(in, 2),
            [&](By by, void* a, void* b) { return CALL(Neighbor_allgather, a, n, out.type, b, m, in.type, ring); });
    compare("Neighbor_allgatherv", blocks(out, 1), all.blocks,
            [&](By by, void* a, void* b) { return CALL(Neighbor_allgatherv, a, n, out.type, b, all_n, all_at, i.type, ring); });
    compare("Neighbor_alltoall", blocks(out, 2), blocks(in, 2),
            [&](By by, void* a, void* b) { return CALL(Neighbor_alltoall, a, n, out.type, b, m, in.type, ring); });
    compare("Neighbor_alltoallv", to.blocks, from.blocks, [&](By by, void* a, void* b) {
      return CALL(Neighbor_alltoallv, a, to_n, to_at, o.type, b, from_n, from_at, i.type, ring);
    });
    Mosaic<MPI_Aint> w_to, w_from;
    for (const Count each : both) w_to.add(several(o, each)), w_from.add(several(i, each));
    const Array w_to_n(w_to.counts), w_to_at(w_to.displacements), w_from_n(w_from.counts), w_from_at(w_from.displacements);
    compare("Neighbor_alltoallw", w_to.blocks, w_from.blocks, [&](By by, void* a, void* b) {
      return CALL(Neighbor_alltoallw, a, w_to_n, w_to_at, w_to.types.data(), b, w_from_n, w_from_at, w_from.types.data(), ring);
    });
  });
}

}  // namespace heddle::test::compared_tests
