// Non-blocking and persistent collectives with random types. Several are under way, and end in any
// order by any call. Persistent collectives start many times with new data.
#include <cstdlib>
#include <functional>

#include "support/completions.hpp"

namespace heddle::test::requests_collectives_tests {
namespace {

/// One collective: the call that begins it, the data to put into its buffers, and the expected
/// data.
struct Ongoing {
  std::string name;
  std::function<int(MPI_Request*, bool persistent)> begin;
  std::function<void(std::uint32_t turn)> fill, expect;
  std::vector<std::shared_ptr<Area>> areas;
  std::vector<Side> sides;
};

#define EITHER(nonblocking, persistent_init, ...)                                                                 \
  [=](MPI_Request* request, bool persistent) {                                                                    \
    return persistent ? persistent_init(__VA_ARGS__, MPI_INFO_NULL, request) : nonblocking(__VA_ARGS__, request); \
  }

Memory said(const Round& r, std::uint32_t turn, int from, int to, Bytes size) {
  return message(r.seed + 7919 * turn, from, to, size);
}

std::shared_ptr<Area> area(std::vector<Area::Block> blocks, unsigned fill) {
  return std::make_shared<Area>(std::move(blocks), fill);
}

Ongoing bcast(Round& r, MPI_Comm comm) {
  const Side side = random_side(r.own, r.unit, r.units);
  const auto data = area(blocks(side, 1), 3);
  const int root = r.root;
  return {"bcast",
          EITHER(MPI_Ibcast, MPI_Bcast_init, data->base(), side.number(), side.type, root, comm),
          [=, &r](std::uint32_t turn) {
            if (r.at_root()) data->put(0, said(r, turn, root, 0, data->size(0)));
          },
          [=, &r](std::uint32_t turn) { data->expect(0, said(r, turn, root, 0, data->size(0))); },
          {data},
          {side}};
}

Ongoing gather(Round& r, MPI_Comm comm) {
  const int me = r.team.rank, ranks = r.team.size, root = r.root;
  const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
  const auto sent = area(blocks(out, 1), 3), got = area(blocks(in, ranks), 4);
  const bool in_place = r.in_place && r.at_root();
  const auto own = static_cast<std::size_t>(me);
  const void* from = in_place ? MPI_IN_PLACE : sent->base();
  return {"gather",
          EITHER(MPI_Igather, MPI_Gather_init, from, out.number(), out.type, got->base(), in.number(), in.type, root, comm),
          [=, &r](std::uint32_t turn) {
            sent->put(0, said(r, turn, me, 0, sent->size(0)));
            if (in_place) got->put(own, said(r, turn, me, 0, got->size(own)));
          },
          [=, &r](std::uint32_t turn) {
            for (int i = 0; r.at_root() && i < ranks; ++i)
              got->expect(static_cast<std::size_t>(i), said(r, turn, i, 0, got->size(0)));
          },
          {sent, got},
          {out, in}};
}

Ongoing scatter(Round& r, MPI_Comm comm) {
  const int me = r.team.rank, ranks = r.team.size, root = r.root;
  const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
  const auto sent = area(blocks(out, ranks), 3), got = area(blocks(in, 1), 4);
  const bool in_place = r.in_place && r.at_root();
  void* to = in_place ? MPI_IN_PLACE : got->base();
  return {"scatter",
          EITHER(MPI_Iscatter, MPI_Scatter_init, sent->base(), out.number(), out.type, to, in.number(), in.type, root, comm),
          [=, &r](std::uint32_t turn) {
            for (int i = 0; i < ranks; ++i) sent->put(static_cast<std::size_t>(i), said(r, turn, root, i, sent->size(0)));
          },
          [=, &r](std::uint32_t turn) {
            if (!in_place) got->expect(0, said(r, turn, root, me, got->size(0)));
          },
          {sent, got},
          {out, in}};
}

Ongoing allgather(Round& r, MPI_Comm comm) {
  const int me = r.team.rank, ranks = r.team.size;
  const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
  const auto sent = area(blocks(out, 1), 3), got = area(blocks(in, ranks), 4);
  const auto own = static_cast<std::size_t>(me);
  const bool in_place = r.in_place;
  const void* from = in_place ? MPI_IN_PLACE : sent->base();
  return {"allgather",
          EITHER(MPI_Iallgather, MPI_Allgather_init, from, out.number(), out.type, got->base(), in.number(), in.type, comm),
          [=, &r](std::uint32_t turn) {
            sent->put(0, said(r, turn, me, 0, sent->size(0)));
            if (in_place) got->put(own, said(r, turn, me, 0, got->size(own)));
          },
          [=, &r](std::uint32_t turn) {
            for (int i = 0; i < ranks; ++i) got->expect(static_cast<std::size_t>(i), said(r, turn, i, 0, got->size(0)));
          },
          {sent, got},
          {out, in}};
}

Ongoing alltoall(Round& r, MPI_Comm comm) {
  const int me = r.team.rank, ranks = r.team.size;
  const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
  const auto sent = area(blocks(out, ranks), 3), got = area(blocks(in, ranks), 4);
  const bool in_place = r.in_place;
  const void* from = in_place ? MPI_IN_PLACE : sent->base();
  return {"alltoall",
          EITHER(MPI_Ialltoall, MPI_Alltoall_init, from, out.number(), out.type, got->base(), in.number(), in.type, comm),
          [=, &r](std::uint32_t turn) {
            for (int i = 0; i < ranks; ++i)
              (in_place ? got : sent)->put(static_cast<std::size_t>(i), said(r, turn, me, i, sent->size(0)));
          },
          [=, &r](std::uint32_t turn) {
            for (int i = 0; i < ranks; ++i) got->expect(static_cast<std::size_t>(i), said(r, turn, i, me, got->size(0)));
          },
          {sent, got},
          {out, in}};
}

std::shared_ptr<Spread> spread(Round& r, const Side& side, const std::vector<Count>& volumes) {
  return std::make_shared<Spread>(side, volumes, r.own.rarely(2));
}

Ongoing gatherv(Round& r, MPI_Comm comm) {
  const int me = r.team.rank, root = r.root;
  const Side out = random_side(r.own, r.unit, r.volume(me, 0)), in = random_element(r.own, r.unit);
  std::vector<Count> volumes;
  for (int i = 0; i < r.team.size; ++i) volumes.push_back(r.volume(i, 0));
  const auto to = spread(r, in, volumes);
  const auto sent = area(blocks(out, 1), 3), got = area(to->blocks, 4);
  return {"gatherv",
          EITHER(MPI_Igatherv, MPI_Gatherv_init, sent->base(), out.number(), out.type, got->base(), to->counts.data(),
                 to->displacements.data(), in.type, root, comm),
          [=, &r](std::uint32_t turn) { sent->put(0, said(r, turn, me, 0, sent->size(0))); },
          [=, &r](std::uint32_t turn) {
            for (std::size_t i = 0; r.at_root() && i < volumes.size(); ++i)
              got->expect(i, said(r, turn, static_cast<int>(i), 0, got->size(i)));
          },
          {sent, got},
          {out, in}};
}

Ongoing scatterv(Round& r, MPI_Comm comm) {
  const int me = r.team.rank, root = r.root;
  const Side out = random_element(r.own, r.unit), in = random_side(r.own, r.unit, r.volume(0, me));
  std::vector<Count> volumes;
  for (int i = 0; i < r.team.size; ++i) volumes.push_back(r.volume(0, i));
  const auto from = spread(r, out, volumes);
  const auto sent = area(from->blocks, 3), got = area(blocks(in, 1), 4);
  return {"scatterv",
          EITHER(MPI_Iscatterv, MPI_Scatterv_init, sent->base(), from->counts.data(), from->displacements.data(), out.type,
                 got->base(), in.number(), in.type, root, comm),
          [=, &r](std::uint32_t turn) {
            for (std::size_t i = 0; i < volumes.size(); ++i)
              sent->put(i, said(r, turn, root, static_cast<int>(i), sent->size(i)));
          },
          [=, &r](std::uint32_t turn) { got->expect(0, said(r, turn, root, me, got->size(0))); },
          {sent, got},
          {out, in}};
}

Ongoing allgatherv(Round& r, MPI_Comm comm) {
  const int me = r.team.rank;
  Side out = random_side(r.own, r.unit, r.volume(me, 0)), in = random_element(r.own, r.unit);
  if (!Round::types_may_differ()) {
    out = in;
    out.count *= r.volume(me, 0);
  }
  std::vector<Count> volumes;
  for (int i = 0; i < r.team.size; ++i) volumes.push_back(r.volume(i, 0));
  const auto to = spread(r, in, volumes);
  const auto sent = area(blocks(out, 1), 3), got = area(to->blocks, 4);
  const bool in_place = r.in_place;
  const auto own = static_cast<std::size_t>(me);
  const void* from = in_place ? MPI_IN_PLACE : sent->base();
  return {"allgatherv",
          EITHER(MPI_Iallgatherv, MPI_Allgatherv_init, from, out.number(), out.type, got->base(), to->counts.data(),
                 to->displacements.data(), in.type, comm),
          [=, &r](std::uint32_t turn) {
            sent->put(0, said(r, turn, me, 0, sent->size(0)));
            if (in_place) got->put(own, said(r, turn, me, 0, got->size(own)));
          },
          [=, &r](std::uint32_t turn) {
            for (std::size_t i = 0; i < volumes.size(); ++i)
              got->expect(i, said(r, turn, static_cast<int>(i), 0, got->size(i)));
          },
          {sent, got},
          {out, in}};
}

/// Half of the communicators make a blocking call first. Then Heddle carries out their non-blocking
/// calls, too.
void meet(const Team& team) {
  if (team.size % 2 == 0) return;
  const std::vector<int> none(static_cast<std::size_t>(team.size));
  int out = 0, in = 0;
  MPI_Alltoallv(&out, none.data(), none.data(), MPI_INT, &in, none.data(), none.data(), MPI_INT, team.comm);
}

/// Open MPI 5.0.11 alone hangs in some of these non-blocking calls. If a block is empty, it
/// overwrites data that it has yet to send. With 5 ranks, MPI_BYTE and one empty block of rank 0,
/// the block from 0 to 4 always arrives wrong.
bool v_in_place(const Round& r) {
#if defined(OPEN_MPI)
  return r.in_place && !types_reach_host() && r.team.size % 2 == 1;
#else
  return r.in_place;
#endif
}

/// In place, a rank sends to each rank as much as it receives from it.
Count volume_between(const Round& r, int from, int to) {
  return v_in_place(r) ? r.volume(std::min(from, to), std::max(from, to)) : r.volume(from, to);
}

Ongoing alltoallv(Round& r, MPI_Comm comm) {
  const int me = r.team.rank;
  const Side out = random_element(r.own, r.unit), in = random_element(r.own, r.unit);
  std::vector<Count> outgoing, incoming;
  for (int i = 0; i < r.team.size; ++i) {
    outgoing.push_back(volume_between(r, me, i));
    incoming.push_back(volume_between(r, i, me));
  }
  const auto to = spread(r, out, outgoing), from = spread(r, in, incoming);
  const auto sent = area(to->blocks, 3), got = area(from->blocks, 4);
  const auto& source = v_in_place(r) ? got : sent;
  const void* out_of = v_in_place(r) ? MPI_IN_PLACE : sent->base();
  return {"alltoallv",
          EITHER(MPI_Ialltoallv, MPI_Alltoallv_init, out_of, to->counts.data(), to->displacements.data(), out.type, got->base(),
                 from->counts.data(), from->displacements.data(), in.type, comm),
          [=, &r](std::uint32_t turn) {
            for (std::size_t i = 0; i < outgoing.size(); ++i)
              source->put(i, said(r, turn, me, static_cast<int>(i), source->size(i)));
          },
          [=, &r](std::uint32_t turn) {
            for (std::size_t i = 0; i < incoming.size(); ++i)
              got->expect(i, said(r, turn, static_cast<int>(i), me, got->size(i)));
          },
          {sent, got},
          {out, in}};
}

Ongoing alltoallw(Round& r, MPI_Comm comm) {
  const int me = r.team.rank;
  const auto to = std::make_shared<Mosaic<int>>(), from = std::make_shared<Mosaic<int>>();
  for (int i = 0; i < r.team.size; ++i) {
    to->add(random_side(r.own, r.unit, volume_between(r, me, i)));
    from->add(random_side(r.own, r.unit, volume_between(r, i, me)));
  }
  const auto sent = area(to->blocks, 3), got = area(from->blocks, 4);
  const auto& source = v_in_place(r) ? got : sent;
  const void* out_of = v_in_place(r) ? MPI_IN_PLACE : sent->base();
  return {"alltoallw",
          EITHER(MPI_Ialltoallw, MPI_Alltoallw_init, out_of, to->counts.data(), to->displacements.data(), to->types.data(),
                 got->base(), from->counts.data(), from->displacements.data(), from->types.data(), comm),
          [=, &r](std::uint32_t turn) {
            for (std::size_t i = 0; i < to->blocks.size(); ++i)
              source->put(i, said(r, turn, me, static_cast<int>(i), source->size(i)));
          },
          [=, &r](std::uint32_t turn) {
            for (std::size_t i = 0; i < from->blocks.size(); ++i)
              got->expect(i, said(r, turn, static_cast<int>(i), me, got->size(i)));
          },
          {sent, got},
          to->sides};
}

/// Blocks to all ranks around, and from all ranks around that exist.
auto tells(Round& r, std::vector<int> around, std::shared_ptr<Area> sent) {
  return [=, &r](std::uint32_t turn) {
    for (std::size_t i = 0; i < around.size(); ++i) sent->put(i, said(r, turn, r.team.rank, around[i], sent->size(i)));
  };
}
auto hears(Round& r, std::vector<int> around, std::shared_ptr<Area> got) {
  return [=, &r](std::uint32_t turn) {
    for (std::size_t i = 0; i < around.size(); ++i)
      if (around[i] != MPI_PROC_NULL) got->expect(i, said(r, turn, around[i], r.team.rank, got->size(i)));
  };
}

/// Collectives on a line of ranks. Nothing comes into the blocks beyond its ends.
Ongoing neighbors(Round& r, MPI_Comm line) {
  const int me = r.team.rank, last = r.team.size - 1;
  const std::vector<int> around = {me > 0 ? me - 1 : MPI_PROC_NULL, me < last ? me + 1 : MPI_PROC_NULL};
  const Side out = random_side(r.own, r.unit, r.units), in = random_side(r.own, r.unit, r.units);
  const bool all = r.common.upto(1) == 1;
  const auto sent = area(blocks(out, all ? 2 : 1), 3), got = area(blocks(in, 2), 4);
  const auto begin_all = EITHER(MPI_Ineighbor_alltoall, MPI_Neighbor_alltoall_init, sent->base(), out.number(), out.type,
                                got->base(), in.number(), in.type, line);
  const auto begin_one = EITHER(MPI_Ineighbor_allgather, MPI_Neighbor_allgather_init, sent->base(), out.number(), out.type,
                                got->base(), in.number(), in.type, line);
  return {all ? "neighbor_alltoall" : "neighbor_allgather",
          [=](MPI_Request* request, bool persistent) {
            return all ? begin_all(request, persistent) : begin_one(request, persistent);
          },
          [=, &r](std::uint32_t turn) {
            for (std::size_t i = 0; i < (all ? 2U : 1U); ++i)
              sent->put(i, said(r, turn, me, all ? around[i] : 0, sent->size(0)));
          },
          [=, &r](std::uint32_t turn) {
            for (std::size_t i = 0; i < 2; ++i)
              if (around[i] != MPI_PROC_NULL) got->expect(i, said(r, turn, around[i], all ? me : 0, got->size(0)));
          },
          {sent, got},
          {out, in}};
}

Ongoing neighbors_by_volume(Round& r, MPI_Comm line) {
  const int me = r.team.rank, last = r.team.size - 1;
  const std::vector<int> around = {me > 0 ? me - 1 : MPI_PROC_NULL, me < last ? me + 1 : MPI_PROC_NULL};
  const Side out = random_element(r.own, r.unit), in = random_element(r.own, r.unit);
  std::vector<Count> outgoing, incoming;
  for (const int rank : around) {
    outgoing.push_back(r.volume(me, rank));
    incoming.push_back(r.volume(rank, me));
  }
  const auto to = spread(r, out, outgoing), from = spread(r, in, incoming);
  const auto sent = area(to->blocks, 3), got = area(from->blocks, 4);
  return {
      "neighbor_alltoallv",
      EITHER(MPI_Ineighbor_alltoallv, MPI_Neighbor_alltoallv_init, sent->base(), to->counts.data(), to->displacements.data(),
             out.type, got->base(), from->counts.data(), from->displacements.data(), in.type, line),
      tells(r, around, sent),
      hears(r, around, got),
      {sent, got},
      {out, in}};
}

Ongoing neighbors_by_type(Round& r, MPI_Comm line) {
  const int me = r.team.rank, last = r.team.size - 1;
  const std::vector<int> around = {me > 0 ? me - 1 : MPI_PROC_NULL, me < last ? me + 1 : MPI_PROC_NULL};
  const auto to = std::make_shared<Mosaic<MPI_Aint>>(), from = std::make_shared<Mosaic<MPI_Aint>>();
  for (const int rank : around) {
    to->add(random_side(r.own, r.unit, r.volume(me, rank)));
    from->add(random_side(r.own, r.unit, r.volume(rank, me)));
  }
  const auto sent = area(to->blocks, 3), got = area(from->blocks, 4);
  return {
      "neighbor_alltoallw",
      EITHER(MPI_Ineighbor_alltoallw, MPI_Neighbor_alltoallw_init, sent->base(), to->counts.data(), to->displacements.data(),
             to->types.data(), got->base(), from->counts.data(), from->displacements.data(), from->types.data(), line),
      tells(r, around, sent),
      hears(r, around, got),
      {sent, got},
      to->sides};
}

Ongoing any_of(Round& r, MPI_Comm line) {
  const MPI_Comm comm = r.team.comm;
  switch (r.common.upto(12)) {
    case 0:
      return gather(r, comm);
    case 1:
      return scatter(r, comm);
    case 2:
      return allgather(r, comm);
    case 3:
      return alltoall(r, comm);
    case 4:
      return gatherv(r, comm);
    case 5:
      return scatterv(r, comm);
    case 6:
      return allgatherv(r, comm);
    case 7:
      return alltoallv(r, comm);
    case 8:
      return Round::types_may_differ() || r.team.size > 1 ? alltoallw(r, comm) : bcast(r, comm);
    case 9:
      return neighbors(r, line);
    case 10:
      return neighbors_by_type(r, line);
    case 11:
      return neighbors_by_volume(r, line);
    default:
      return bcast(r, comm);
  }
}

/// A line of the team's ranks.
class Line {
 public:
  explicit Line(const Team& team) {
    const int open = 0;
    MPI_Cart_create(team.comm, 1, &team.size, &open, 0, &comm);
  }
  ~Line() { MPI_Comm_free(&comm); }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  MPI_Comm comm = MPI_COMM_NULL;
};

void check(Ongoing& done, std::uint32_t turn, const Team& team, int number) {
  done.expect(turn);
  for (const auto& each : done.areas)
    HOLDS(*each, done.name << ", turn " << turn << ", " << to_string(*done.sides.back().shape));
}

}  // namespace

TEST_EACH_RANKS(1, 8, CollectiveRequests, SeveralAtOnceInAnyOrder) {
  const Line line(team);
  meet(team);
  each_round(team, 15, [&](Round& r, int number) {
    std::vector<Ongoing> ongoing;
    std::vector<MPI_Request> requests;
    for (Count n = r.common.between(1, 5); n > 0; --n) {
      ongoing.push_back(any_of(r, line.comm));
      ongoing.back().fill(0);
      requests.push_back(MPI_REQUEST_NULL);
      succeeds(ongoing.back().begin(&requests.back(), false));
    }
    const Completion how = random_completion(r.own);
    SCOPED_TRACE("completion " + std::to_string(static_cast<int>(how)));
    complete(how, requests, r.own,
             [&](int index, const MPI_Status*) { check(ongoing[static_cast<std::size_t>(index)], 0, team, number); });
    for (const MPI_Request request : requests) EXPECT_EQ(request, MPI_REQUEST_NULL);
  });
}

TEST_EACH_RANKS(1, 8, CollectiveRequests, PersistentOnesStartedAgainAndAgain) {
  const Line line(team);
  meet(team);
  each_round(team, 8, [&](Round& r, int number) {
    std::vector<Ongoing> ongoing;
    std::vector<MPI_Request> requests;
    for (Count n = r.common.between(1, 3); n > 0; --n) {
      ongoing.push_back(any_of(r, line.comm));
      requests.push_back(MPI_REQUEST_NULL);
      succeeds(ongoing.back().begin(&requests.back(), true));
    }
    const std::vector<MPI_Request> handles = requests;
    for (std::uint32_t turn = 0; turn < 4; ++turn) {
      for (Ongoing& each : ongoing) each.fill(turn);
      if (r.common.upto(1)) {
        succeeds(MPI_Startall(static_cast<int>(requests.size()), requests.data()));
      } else {
        for (MPI_Request& request : requests) succeeds(MPI_Start(&request));
      }
      Completion how = random_completion(r.own);
#if !defined(OPEN_MPI)
      // MPICH 5.0.2 never sets the status of a persistent collective. Calls for several requests
      // take it for an error.
      const bool several = how == Completion::waitall || how == Completion::testall || how == Completion::waitsome ||
                           how == Completion::testsome || how == Completion::get_status_rows;
      if (several) how = Completion::test;
#endif
      SCOPED_TRACE("completion " + std::to_string(static_cast<int>(how)));
      complete(how, requests, r.own,
               [&](int index, const MPI_Status*) { check(ongoing[static_cast<std::size_t>(index)], turn, team, number); });
      EXPECT_EQ(requests, handles);
    }
    for (MPI_Request& request : requests) succeeds(MPI_Request_free(&request));
  });
}

// A large message, whose types are freed while it is under way.
TEST_EACH_RANKS(2, 4, CollectiveRequests, OutliveTheirDatatypes) {
  std::vector<int> numbers(24 * 20000, team.rank == 0 ? 7 : -1);
  MPI_Request request = MPI_REQUEST_NULL;
  {
    const Committed type("indexed_block(1, [0, 2, 5, 7, 11, 12, 20, 23], int)");
    succeeds(MPI_Ibcast(numbers.data(), 20000, type, 0, team.comm, &request));
  }
  const Committed other("vector(3, 1, 2, int)");
  succeeds(MPI_Wait(&request, MPI_STATUS_IGNORE));
  EXPECT_EQ(numbers[23], 7);
  EXPECT_EQ(numbers[24 * 19999 + 23], 7);
  EXPECT_EQ(numbers[1], team.rank == 0 ? 7 : -1);
}

}  // namespace heddle::test::requests_collectives_tests
