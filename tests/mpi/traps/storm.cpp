// Wildcard storms: every rank sends to every other rank in an order of its own, and receives from
// any rank.
#include <algorithm>
#include <memory>
#include <random>

#include "traps/large.hpp"

namespace heddle::test::storm_tests {
namespace {

constexpr int each = 6;  // messages from one rank to another
constexpr std::size_t most = 300 * KiB;

struct Message {
  Shape shape;
  std::size_t bytes;
  int tag;
  std::uint32_t number;
};
/// Message i from one rank to another. Both ranks can work it out.
Message described(int from, int to, int i) {
  std::mt19937 random(static_cast<std::uint32_t>(10000 * from + 100 * to + i));
  const std::size_t sizes[] = {KiB, 8 * KiB, 40 * KiB, 120 * KiB, most};
  const Shape kinds[] = {Shape::contiguous, Shape::rows, Shape::pairs, Shape::columns, Shape::scattered, Shape::structs};
  // The size tells messages apart, too. One tag for a pair would be enough, but order among tags is
  // part of the storm.
  return {kinds[random() % 6], sizes[random() % 5], i % 3, static_cast<std::uint32_t>(10000 * from + 100 * to + i)};
}

struct Sent {
  std::vector<std::unique_ptr<Large>> data;
  std::vector<MPI_Request> requests;
};
void send_all(const Team& team, Sent& sent) {
  std::vector<int> order;
  for (int to = 0; to < team.size; ++to) order.insert(order.end(), to == team.rank ? 0 : each, to);
  std::shuffle(order.begin(), order.end(), std::mt19937(run_seed() + static_cast<std::uint32_t>(team.rank)));
  std::vector<int> next(static_cast<std::size_t>(team.size), 0);
  for (const int to : order) {
    const Message m = described(team.rank, to, next[static_cast<std::size_t>(to)]++);
    sent.data.push_back(std::make_unique<Large>(m.shape, m.bytes));
    sent.data.back()->fill(m.number);
    sent.requests.push_back(MPI_REQUEST_NULL);
    (m.number % 5 == 0 ? MPI_Issend : MPI_Isend)(sent.data.back()->base(), sent.data.back()->count(), sent.data.back()->type(),
                                                 to, m.tag, team.comm, &sent.requests.back());
  }
}

/// Finds the message of a status: a sender's messages of one tag come in order.
class Book {
 public:
  explicit Book(const Team& team) : team_(team), next_(static_cast<std::size_t>(3 * team.size)) {
    for (std::size_t i = 0; i < next_.size(); ++i) next_[i] = static_cast<int>(i % 3);
  }
  Message enter(const MPI_Status& status) {
    int& next = next_[static_cast<std::size_t>(3 * status.MPI_SOURCE + status.MPI_TAG)];
    const Message m = described(status.MPI_SOURCE, team_.rank, next);
    next += 3;
    int bytes = -1;
    MPI_Get_count(&status, MPI_BYTE, &bytes);
    EXPECT_EQ(bytes, Large(Shape::contiguous, m.bytes).bytes());
    return m;
  }

 private:
  const Team& team_;
  std::vector<int> next_;
};

}  // namespace

TEST_EACH_RANKS(2, 8, Storm, OfPostedReceives) {
  const int total = each * (team.size - 1);
  Book book(team);
  std::vector<std::unique_ptr<Large>> in;
  std::vector<MPI_Request> requests(static_cast<std::size_t>(total));
  const Shape kinds[] = {Shape::rows, Shape::contiguous, Shape::scattered};
  for (std::size_t i = 0; i < requests.size(); ++i) {
    in.push_back(std::make_unique<Large>(kinds[i % 3], most));
    MPI_Irecv(in[i]->base(), in[i]->count(), in[i]->type(), MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &requests[i]);
  }
  Sent sent;
  send_all(team, sent);
  // Posted receives match in the order of posting, so the book is kept in that order.
  std::vector<MPI_Status> statuses(requests.size());
  MPI_Waitall(total, requests.data(), statuses.data());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const Message m = book.enter(statuses[i]);
    const std::size_t ints = static_cast<std::size_t>(Large(Shape::contiguous, m.bytes).ints());
    EXPECT_EQ(in[i]->wrong(m.number, ints), "");
  }
  MPI_Waitall(total, sent.requests.data(), MPI_STATUSES_IGNORE);
}

TEST_EACH_RANKS(2, 8, Storm, OfProbes) {
  const int total = each * (team.size - 1);
  Book book(team);
  Sent sent;
  send_all(team, sent);
  for (int i = 0; i < total; ++i) {
    MPI_Status status;
    MPI_Message message = MPI_MESSAGE_NULL;
    if (i % 2 == 0) {
      MPI_Mprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &message, &status);
    } else {
      MPI_Probe(MPI_ANY_SOURCE, MPI_ANY_TAG, team.comm, &status);
    }
    const Message m = book.enter(status);
    Large in(i % 3 ? Shape::columns : Shape::pairs, m.bytes);
    if (i % 2 == 0) {
      MPI_Mrecv(in.base(), in.count(), in.type(), &message, &status);
    } else {
      MPI_Recv(in.base(), in.count(), in.type(), status.MPI_SOURCE, status.MPI_TAG, team.comm, &status);
    }
    EXPECT_EQ(in.wrong(m.number), "");
  }
  MPI_Waitall(total, sent.requests.data(), MPI_STATUSES_IGNORE);
}

TEST_EACH_RANKS(2, 8, Storm, OfSendsWhileOthersReceive) {
  // Blocking sends in turn: each rank sends to all other ranks, which receive from any rank.
  for (int root = 0; root < team.size; ++root) {
    if (team.rank == root) {
      for (int i = 0; i < each; ++i)
        for (int to = 0; to < team.size; ++to) {
          if (to == root) continue;
          const Message m = described(root, to, i);
          Large out(m.shape, m.bytes);
          out.fill(m.number);
          MPI_Send(out.base(), out.count(), out.type(), to, m.tag, team.comm);
        }
      continue;
    }
    Book book(team);
    for (int i = 0; i < each; ++i) {
      Large in(Shape::rows, most);
      MPI_Status status;
      MPI_Recv(in.base(), in.count(), in.type(), root, MPI_ANY_TAG, team.comm, &status);
      const Message m = book.enter(status);
      EXPECT_EQ(in.wrong(m.number, static_cast<std::size_t>(Large(Shape::contiguous, m.bytes).ints())), "");
    }
  }
}

}  // namespace heddle::test::storm_tests
