// heddle_exchange: each rank knows its receivers, but not its senders. ctest runs this suite once
// for each way of the interposer (HEDDLE_EXCHANGE). The suite also tests the exchange that programs
// get without Heddle.
#include "heddle/exchange.h"

#include <algorithm>
#include <numeric>

#include "support/rounds.hpp"

namespace heddle::test::sparse_tests {
namespace {

using Exchange = int (*)(const heddle_departures*, heddle_arrivals*, MPI_Datatype, MPI_Comm);

/// Calls heddle_exchange. The result is the same with and without Heddle.
int ours(const heddle_departures* out, heddle_arrivals* in, MPI_Datatype type, MPI_Comm comm) {
  return out->types ? heddle_exchange_w(out->data, out->messages, out->to, out->counts, out->places, out->types, in, type, comm)
                    : heddle_exchange(out->data, out->messages, out->to, out->counts, out->places, out->type, in, type, comm);
}
constexpr Exchange both[] = {ours, heddle_plain_exchange};

/// The messages of all ranks. Every rank has the same plan, so each can tell what it must get.
struct Plan {
  struct Message {
    int from, to;
    Count units;
  };
  Plan(std::uint32_t seed, int ranks, Count most_units) {
    Choices choices = choices_of(seed);
    Chooser choose(choices);
    const Count style = choose.upto(4);  // all to one, none at all, or random
    for (int from = 0; from < ranks; ++from) {
      const Count many = style == 1 ? 0 : choose.upto(choose.rarely(4) ? 2 * ranks : 4);
      for (Count k = 0; k < many; ++k)
        messages.push_back({from, style == 0 ? ranks / 2 : static_cast<int>(choose.upto(ranks - 1)),
                            choose.rarely(4) ? 0 : choose.between(0, choose.rarely(8) ? most_units : 5)});
    }
  }
  std::vector<Message> messages;
};

Memory content(std::uint32_t seed, const Plan::Message& message, std::size_t number, Bytes size) {
  return test::message(seed + static_cast<std::uint32_t>(number) * 17, message.from, message.to, size);
}

/// One exchange as this rank sees it, by types of its own choice.
void exchange_once(const Round& round, Exchange exchange, bool own_buffer, bool typed_each, int number) {
  const Team& team = round.team;
  const Plan plan(round.seed + 3, team.size, Round::large(round.unit) ? 3000 : 20);
  Chooser& own = const_cast<Chooser&>(round.own);
  const Side sent = random_element(own, round.unit);
  const Side got = random_element(own, round.unit);

  std::vector<int> to;
  std::vector<MPI_Count> counts, places;
  std::vector<Area::Block> out_blocks;
  std::vector<std::size_t> mine, for_me;
  Count at = 0;
  for (std::size_t i = 0; i < plan.messages.size(); ++i) {
    const Plan::Message& message = plan.messages[i];
    if (message.to == team.rank) for_me.push_back(i);
    if (message.from != team.rank) continue;
    mine.push_back(i);
    to.push_back(message.to);
    counts.push_back(message.units * sent.count);
    places.push_back(typed_each ? at * sent.extent() : at);
    out_blocks.push_back({sent.shape, counts.back(), at * sent.extent()});
    at += counts.back() + static_cast<Count>(i % 2);
  }
  Area out(out_blocks, 1);
  for (std::size_t k = 0; k < mine.size(); ++k) out.put(k, content(round.seed, plan.messages[mine[k]], mine[k], out.size(k)));
  std::vector<MPI_Datatype> types(to.size() + 1, sent.type);

  Count total = 0;
  std::vector<Area::Block> in_blocks;
  for (const std::size_t i : for_me) {
    const Count count = plan.messages[i].units * got.count;
    in_blocks.push_back({got.shape, count, total * got.extent()});
    total += count;
  }
  Area in(in_blocks, 2);
  for (std::size_t k = 0; k < for_me.size(); ++k)
    in.expect(k, content(round.seed, plan.messages[for_me[k]], for_me[k], in.size(k)));

  heddle_arrivals came = HEDDLE_ARRIVALS_INIT;
  if (own_buffer) came.data = in.base(), came.room = total;
  const heddle_departures departures = {out.base(), static_cast<int>(to.size()),        to.data(), counts.data(), places.data(),
                                        sent.type,  typed_each ? types.data() : nullptr};
  EXPECT_EQ(exchange(&departures, &came, got.type, team.comm), MPI_SUCCESS);

  EXPECT_EQ(came.total, total);
  ASSERT_EQ(came.messages, static_cast<MPI_Count>(for_me.size())) << "round " << number << ", rank " << team.rank;
  for (std::size_t k = 0; k < for_me.size(); ++k) {
    EXPECT_EQ(came.sources[k], plan.messages[for_me[k]].from);
    EXPECT_EQ(came.counts[k], in_blocks[k].count);
    EXPECT_EQ(came.places[k] * got.extent(), in_blocks[k].at);
    if (own_buffer) continue;
    Memory packed(static_cast<std::size_t>(in.size(k)));
    int position = 0;
    auto* from = reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(came.data) +
                                              static_cast<std::uintptr_t>(in_blocks[k].at));
    if (!packed.empty())
      MPI_Pack(from, static_cast<int>(came.counts[k]), got.type, packed.data(), static_cast<int>(packed.size()), &position,
               team.comm);
    EXPECT_TRUE(packed == content(round.seed, plan.messages[for_me[k]], for_me[k], in.size(k)))
        << "message " << k << " from " << came.sources[k] << ", round " << number << ", rank " << team.rank;
  }
  if (own_buffer) {
    HOLDS(in, "exchange");
  }
  heddle_arrivals_free(&came);
  EXPECT_EQ(came.sources, nullptr);
}

/// Sends `n` ints with the numbers of the sender and the round to each of `to`. The receivers check
/// them.
void ints(MPI_Comm comm, const std::vector<int>& to, int n, int round, Exchange exchange = ours) {
  int me = 0;
  MPI_Comm_rank(comm, &me);
  const std::vector<int> data(to.size() * static_cast<std::size_t>(n), 1000 * round + me);
  const std::vector<MPI_Count> counts(to.size(), n);
  heddle_arrivals came = HEDDLE_ARRIVALS_INIT;
  const heddle_departures departures = {data.data(), static_cast<int>(to.size()), to.data(), counts.data(), nullptr, MPI_INT,
                                        nullptr};
  EXPECT_EQ(exchange(&departures, &came, MPI_INT, comm), MPI_SUCCESS);
  for (MPI_Count i = 0; i < came.messages; ++i) {
    EXPECT_EQ(came.counts[i], n);
    const int* first = static_cast<const int*>(came.data) + came.places[i];
    EXPECT_TRUE(std::all_of(first, first + n, [&](int is) { return is == 1000 * round + came.sources[i]; }))
        << "round " << round << " from " << came.sources[i] << ": " << *first;
  }
  heddle_arrivals_free(&came);
}

}  // namespace

TEST_EACH_RANKS(1, 8, Sparse, RandomMessagesOfRandomTypes) {
  each_round(team, 24, [&](const Round& round, int number) {
    exchange_once(round, both[number % 8 == 7], number % 2 == 0, number % 3 == 0, number);
  });
}

// The example in heddle.h's first lines.
TEST_EACH_RANKS(2, 8, Sparse, LeftAndRight) {
  for (const Exchange exchange : both) {
    const int left = (team.rank + team.size - 1) % team.size;
    const int right = (team.rank + 1) % team.size;
    const int to[] = {left, MPI_PROC_NULL, right};
    const MPI_Count counts[] = {2, 1, 3};
    const double data[] = {1, 2, 0, 3, 4, 5};
    heddle_arrivals came = HEDDLE_ARRIVALS_INIT;
    const heddle_departures departures = {data, 3, to, counts, nullptr, MPI_DOUBLE, nullptr};
    EXPECT_EQ(exchange(&departures, &came, MPI_DOUBLE, team.comm), MPI_SUCCESS);
    EXPECT_EQ(came.messages, 2);
    EXPECT_EQ(came.total, 5);
    const auto* got = static_cast<const double*>(came.data);
    const bool left_first =
        team.size == 2 ? true : left > right;  // with two ranks, both messages come from the same rank, in its order
    EXPECT_EQ(std::vector<double>(got, got + 5),
              left_first ? (std::vector<double>{1, 2, 3, 4, 5}) : (std::vector<double>{3, 4, 5, 1, 2}));
    heddle_arrivals_free(&came);
  }
}

// A quick rank may begin the next exchange before a slow rank has ended the last.
TEST_EACH_RANKS(2, 8, Sparse, OneAfterTheOtherDoNotMix) {
  for (const Exchange exchange : both)
    for (int round = 0; round < 150; ++round) {
      std::vector<int> to;
      for (int k = 0; k < (round + team.rank) % 4; ++k) to.push_back((team.rank * 5 + round + k) % team.size);
      ints(team.comm, to, 1 + round % 7, round, exchange);
    }
}

TEST_EACH_RANKS(2, 8, Sparse, OnSplitReorderedAndManyCommunicators) {
  MPI_Comm reversed = MPI_COMM_NULL;
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(team.comm, 0, -team.rank, &reversed);
  MPI_Comm_split(team.comm, team.rank % 2, team.rank, &half);
  int halves = 0;
  MPI_Comm_size(half, &halves);
  for (int round = 0; round < 4; ++round) {
    ints(reversed, {(team.rank + 1) % team.size}, 2000, round);
    ints(half, {halves - 1, 0}, 30, round);
    ints(team.comm, {0}, 5, round);
  }
  MPI_Comm_free(&half);
  MPI_Comm_free(&reversed);
}

TEST_RANKS(2, Sparse, ThousandsOfCommunicators) {
  for (int i = 0; i < 2'500; ++i) {
    MPI_Comm comm = MPI_COMM_NULL;
    ASSERT_EQ(MPI_Comm_dup(team.comm, &comm), MPI_SUCCESS) << i;
    ints(comm, {1 - team.rank}, 3, i, both[i % 2]);
    MPI_Comm_free(&comm);
  }
}

// Data for several bundles: 40 MB through the router, rendezvous by the other ways.
TEST_EACH_RANKS(3, 5, Sparse, LongMessages) {
  for (const int n : {1'000, 3'000, 100'000, 2'000'000})
    ints(team.comm, {(team.rank + 1) % team.size, 0, team.rank}, n, n % 1000);
}

TEST_EACH_RANKS(2, 4, Sparse, TooSmallABufferIsToldWhatItTakes) {
  const ReturningErrors returning(team.comm);
  for (const Exchange exchange : both) {
    const std::vector<int> data = {team.rank, team.rank};
    const int to[] = {0};
    const MPI_Count counts[] = {2};
    std::vector<int> room(static_cast<std::size_t>(2 * team.size), -1);
    heddle_arrivals came = HEDDLE_ARRIVALS_INIT;
    came.data = room.data();
    came.room = 3;
    const heddle_departures departures = {data.data(), 1, to, counts, nullptr, MPI_INT, nullptr};
    const int result = exchange(&departures, &came, MPI_INT, team.comm);
    EXPECT_EQ(error_class(result), team.rank == 0 ? MPI_ERR_TRUNCATE : MPI_SUCCESS);
    if (team.rank == 0) {
      EXPECT_EQ(came.total, 2 * team.size);
      EXPECT_EQ(came.messages, team.size);
      EXPECT_EQ(room[1], 0);
      EXPECT_EQ(room[2], -1);
    }
    heddle_arrivals_free(&came);
    EXPECT_EQ(came.data, room.data());
    ints(team.comm, {0}, 4, 1);  // the failed exchange leaves nothing behind
  }
}

TEST_EACH_RANKS(1, 2, Sparse, MistakesAreErrors) {
  const ReturningErrors returning(team.comm);
  const double data[] = {1, 2};
  const int good[] = {0};
  const int bad[] = {team.size};
  const MPI_Count one[] = {1};
  const MPI_Count less[] = {-1};
  for (const Exchange exchange : both) {
    heddle_arrivals came = HEDDLE_ARRIVALS_INIT;
    const auto result = [&](const heddle_departures& departures, MPI_Datatype type = MPI_DOUBLE) {
      return error_class(exchange(&departures, &came, type, team.comm));
    };
    EXPECT_EQ(result({data, 1, bad, one, nullptr, MPI_DOUBLE, nullptr}), MPI_ERR_RANK);
    EXPECT_EQ(result({data, 1, good, less, nullptr, MPI_DOUBLE, nullptr}), MPI_ERR_COUNT);
    EXPECT_EQ(result({data, -1, good, one, nullptr, MPI_DOUBLE, nullptr}), MPI_ERR_ARG);
    EXPECT_EQ(result({data, 1, nullptr, one, nullptr, MPI_DOUBLE, nullptr}), MPI_ERR_ARG);
    EXPECT_EQ(result({data, 1, good, one, nullptr, MPI_DATATYPE_NULL, nullptr}), MPI_ERR_TYPE);
    EXPECT_EQ(result({data, 1, good, one, nullptr, MPI_DOUBLE, nullptr}, MPI_DATATYPE_NULL), MPI_ERR_TYPE);
    MPI_Datatype three = MPI_DATATYPE_NULL;  // 24 bytes: one double does not fill it
    MPI_Type_contiguous(3, MPI_DOUBLE, &three);
    MPI_Type_commit(&three);
    EXPECT_EQ(result({data, 1, good, one, nullptr, MPI_DOUBLE, nullptr}, three), team.rank == 0 ? MPI_ERR_TYPE : MPI_SUCCESS);
    MPI_Type_free(&three);
    heddle_arrivals_free(&came);
  }
}

TEST_RANKS(4, Sparse, NotBetweenGroups) {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_split(team.comm, team.rank % 2, team.rank, &half);
  MPI_Intercomm_create(half, 0, team.comm, 1 - team.rank % 2, 3, &inter);
  {
    const ReturningErrors returning(inter);
    heddle_arrivals came = HEDDLE_ARRIVALS_INIT;
    const heddle_departures departures = {nullptr, 0, nullptr, nullptr, nullptr, MPI_INT, nullptr};
    for (const Exchange exchange : both) EXPECT_EQ(error_class(exchange(&departures, &came, MPI_INT, inter)), MPI_ERR_COMM);
  }
  MPI_Comm_free(&inter);
  MPI_Comm_free(&half);
}

}  // namespace heddle::test::sparse_tests
