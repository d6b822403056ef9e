// Messages with special data: at absolute addresses, by types that describe nothing or have a
// chosen precision, or in the buffer of MPI_Bsend.
#include <array>
#include <numeric>

#include "support/build_type.hpp"
#include "support/pmpi_spy.hpp"
#include "support/ranks.hpp"

namespace heddle::test::places_tests {
namespace {

constexpr int tag = 23;

/// Seven ints and eleven doubles in two places, and a type with their addresses, to be used with
/// MPI_BOTTOM.
class Apart {
 public:
  explicit Apart(int first) {
    std::iota(ints_.begin(), ints_.end(), first);
    std::iota(doubles_.begin(), doubles_.end(), first + 0.5);
    const int lengths[2] = {7, 11};
    MPI_Aint places[2];
    MPI_Get_address(&ints_[3], &places[0]);
    MPI_Get_address(&doubles_[5], &places[1]);
    MPI_Datatype types[2] = {MPI_INT, MPI_DOUBLE};
    MPI_Type_create_struct(2, lengths, places, types, &type_);
    MPI_Type_commit(&type_);
  }
  Apart(const Apart&) = delete;
  Apart& operator=(const Apart&) = delete;
  ~Apart() { MPI_Type_free(&type_); }

  [[nodiscard]] MPI_Datatype type() const { return type_; }
  /// The data are those of Apart(inside). The bytes around them are those of Apart(outside).
  [[nodiscard]] bool holds(int inside, int outside) const {
    bool right = true;
    for (int i = 0; i < 20; ++i) {
      const auto k = static_cast<std::size_t>(i);
      right = right && ints_[k] == i + (i >= 3 && i < 10 ? inside : outside);
      right = right && doubles_[k] == i + 0.5 + (i >= 5 && i < 16 ? inside : outside);
    }
    return right;
  }

 private:
  std::array<int, 20> ints_{};
  std::array<double, 20> doubles_{};
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// Holds the same data side by side.
struct Together {
  int ints[7];
  double doubles[11];
  [[nodiscard]] bool holds(int first) const {
    return ints[0] == first + 3 && ints[6] == first + 9 && doubles[0] == first + 5.5 && doubles[10] == first + 15.5;
  }
};
Committed together() { return Committed("resized(struct([7, 11], [0, 32], [int, double]), 0, 120)"); }

}  // namespace

TEST_RANKS(2, Places, AbsoluteAddressesInMessages) {
  static_assert(sizeof(Together) == 120);
  const Committed side_by_side = together();
  const int other = 1 - team.rank, mine = 100 * team.rank, theirs = 100 * other;
  std::vector<char> room(4096);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  for (int way = 0; way < 5; ++way) {
    SCOPED_TRACE(way);
    Apart data(mine);
    Together got{};
    MPI_Request request = MPI_REQUEST_NULL;
    switch (way) {
      case 0:
        PMPI_Irecv(&got, 1, side_by_side, other, tag, team.comm, &request);
        MPI_Send(MPI_BOTTOM, 1, data.type(), other, tag, team.comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 1:
        PMPI_Irecv(&got, 1, side_by_side, other, tag, team.comm, &request);
        MPI_Ssend(MPI_BOTTOM, 1, data.type(), other, tag, team.comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        break;
      case 2:
        MPI_Bsend(MPI_BOTTOM, 1, data.type(), other, tag, team.comm);
        MPI_Recv(&got, 1, side_by_side, other, tag, team.comm, MPI_STATUS_IGNORE);
        break;
      case 3:
        MPI_Sendrecv(MPI_BOTTOM, 1, data.type(), other, tag, &got, 1, side_by_side, other, tag, team.comm, MPI_STATUS_IGNORE);
        break;
      default: {
        std::array<char, 512> packed{};
        int at = 0;
        MPI_Pack(MPI_BOTTOM, 1, data.type(), packed.data(), 512, &at, team.comm);
        MPI_Sendrecv_replace(packed.data(), at, MPI_PACKED, other, tag, other, tag, team.comm, MPI_STATUS_IGNORE);
        int from = 0;
        MPI_Unpack(packed.data(), at, &from, &got, 1, side_by_side, team.comm);
      }
    }
    EXPECT_TRUE(got.holds(theirs));
    EXPECT_TRUE(data.holds(mine, mine));

    // And back to absolute addresses.
    got = {};
    Apart back(mine);
    switch (way) {
      case 0:
        MPI_Bsend(MPI_BOTTOM, 1, data.type(), other, tag, team.comm);
        MPI_Recv(MPI_BOTTOM, 1, back.type(), other, tag, team.comm, MPI_STATUS_IGNORE);
        break;
      case 1: {
        MPI_Bsend(MPI_BOTTOM, 1, data.type(), other, tag, team.comm);
        MPI_Message message = MPI_MESSAGE_NULL;
        MPI_Mprobe(other, tag, team.comm, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(MPI_BOTTOM, 1, back.type(), &message, MPI_STATUS_IGNORE);
        break;
      }
      case 2: {
        MPI_Bsend(MPI_BOTTOM, 1, data.type(), other, tag, team.comm);
        MPI_Message message = MPI_MESSAGE_NULL;
        for (int there = 0; !there;) MPI_Improbe(other, tag, team.comm, &there, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv(MPI_BOTTOM, 1, back.type(), &message, MPI_STATUS_IGNORE);
        break;
      }
      case 3:
        MPI_Sendrecv(MPI_BOTTOM, 1, data.type(), other, tag, MPI_BOTTOM, 1, back.type(), other, tag, team.comm,
                     MPI_STATUS_IGNORE);
        break;
      default:
        MPI_Sendrecv_replace(MPI_BOTTOM, 1, back.type(), other, tag, other, tag, team.comm, MPI_STATUS_IGNORE);
    }
    EXPECT_TRUE(back.holds(theirs, mine));
  }
  void* returned = nullptr;
  int size = 0;
  MPI_Buffer_detach(&returned, &size);
}

TEST_RANKS(2, Places, AbsoluteAddressesInCollectives) {
  const Committed side_by_side = together();
  const int other = 1 - team.rank, mine = 100 * team.rank, theirs = 100 * other;
  const int ones[2] = {1, 1}, zeros[2] = {0, 0}, places[2] = {0, 1}, bytes[2] = {0, sizeof(Together)};
  const MPI_Datatype plain[2] = {side_by_side, side_by_side};
  {
    const Apart data(mine);
    EXPECT_EQ(MPI_Bcast(MPI_BOTTOM, 1, data.type(), 1, team.comm), MPI_SUCCESS);
    EXPECT_TRUE(data.holds(100, mine));
  }
  const Apart data(mine);
  const MPI_Datatype both[2] = {data.type(), data.type()};
  for (int call = 0; call < 7; ++call) {
    SCOPED_TRACE(call);
    Together got[2] = {};
    const int results[7] = {
        call == 0 ? MPI_Gather(MPI_BOTTOM, 1, data.type(), got, 1, side_by_side, 0, team.comm) : 0,
        call == 1 ? MPI_Gatherv(MPI_BOTTOM, 1, data.type(), got, ones, places, side_by_side, 0, team.comm) : 0,
        call == 2 ? MPI_Allgather(MPI_BOTTOM, 1, data.type(), got, 1, side_by_side, team.comm) : 0,
        call == 3 ? MPI_Allgatherv(MPI_BOTTOM, 1, data.type(), got, ones, places, side_by_side, team.comm) : 0,
        call == 4 ? MPI_Alltoallv(MPI_BOTTOM, ones, zeros, data.type(), got, ones, places, side_by_side, team.comm) : 0,
        call == 5 ? MPI_Alltoallw(MPI_BOTTOM, ones, zeros, both, got, ones, bytes, plain, team.comm) : 0,
        call == 6 ? MPI_Scatterv(MPI_BOTTOM, ones, zeros, data.type(), got, 1, side_by_side, 1, team.comm) : 0,
    };
    for (const int result : results) EXPECT_EQ(result, MPI_SUCCESS);
    if (call == 6) {
      EXPECT_TRUE(got[0].holds(100));
    } else if (call > 1 || team.rank == 0) {
      EXPECT_TRUE(got[0].holds(0));
      EXPECT_TRUE(got[1].holds(100));
    }
  }
  // A w procedure receives from the other rank at absolute addresses.
  const Apart here(mine), there(mine);
  MPI_Datatype from[2] = {here.type(), here.type()};
  from[other] = there.type();
  EXPECT_EQ(MPI_Alltoallw(MPI_BOTTOM, ones, zeros, both, MPI_BOTTOM, ones, zeros, from, team.comm), MPI_SUCCESS);
  EXPECT_TRUE(here.holds(mine, mine));
  EXPECT_TRUE(there.holds(theirs, mine));
  const Apart scattered(mine);
  Together all[2] = {};
  MPI_Allgather(MPI_BOTTOM, 1, data.type(), all, 1, side_by_side, team.comm);
  EXPECT_EQ(MPI_Scatter(all, 1, side_by_side, MPI_BOTTOM, 1, scattered.type(), 0, team.comm), MPI_SUCCESS);
  EXPECT_TRUE(scattered.holds(mine, mine));
}

// MPICH 5.0.2 divides by zero when it receives some types that describe nothing. Heddle hands them
// on as no bytes.
TEST_RANKS(2, Places, TypesThatDescribeNothing) {
  if (expected() != Expected::on) GTEST_SKIP() << "some hosts crash";
  const Committed arrow("contiguous(0, double)"), vector("vector(3, 0, 2, int)"), list("hindexed([0, 0], [8, 40], float_int)");
  const Committed sequence("struct([0, 2], [0, 8], [double, contiguous(0, int)])"), wide("resized(contiguous(0, int), -8, 64)");
  const Committed deep("contiguous(2, struct([1, 2], [0, 8], [vector(2, 0, 1, short), resized(contiguous(0, int), 0, 4)]))");
  const int other = 1 - team.rank;
  std::vector<char> room(4096);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  std::array<char, 600> memory{};
  for (const MPI_Datatype type : {MPI_Datatype{arrow}, MPI_Datatype{vector}, MPI_Datatype{list}, MPI_Datatype{sequence},
                                  MPI_Datatype{wide}, MPI_Datatype{deep}}) {
    for (const int count : {0, 1, 2, 5}) {
      for (void* const at : {static_cast<void*>(&memory[100]), static_cast<void*>(MPI_BOTTOM)}) {
        MPI_Status status;
        int bytes = -1;
        EXPECT_EQ(MPI_Bsend(at, count, type, other, tag, team.comm), MPI_SUCCESS);
        EXPECT_EQ(MPI_Recv(at, count, type, other, tag, team.comm, &status), MPI_SUCCESS);
        MPI_Get_count(&status, MPI_BYTE, &bytes);
        EXPECT_EQ(bytes, 0);
        EXPECT_EQ(MPI_Sendrecv(at, count, type, other, tag, at, count, type, other, tag, team.comm, &status), MPI_SUCCESS);
        EXPECT_EQ(MPI_Sendrecv_replace(at, count, type, other, tag, other, tag, team.comm, &status), MPI_SUCCESS);
        if (team.rank == 0) {
          EXPECT_EQ(MPI_Ssend(at, count, type, 1, tag, team.comm), MPI_SUCCESS);
        } else {
          MPI_Message message = MPI_MESSAGE_NULL;
          MPI_Mprobe(0, tag, team.comm, &message, MPI_STATUS_IGNORE);
          EXPECT_EQ(MPI_Mrecv(at, count, type, &message, &status), MPI_SUCCESS);
        }
        EXPECT_EQ(MPI_Bcast(at, count, type, 0, team.comm), MPI_SUCCESS);
        int position = 0;
        EXPECT_EQ(MPI_Pack(at, count, type, &memory[0], 8, &position, team.comm), MPI_SUCCESS);
        EXPECT_EQ(position, 0);
      }
    }
  }
  // A message to a receive of nothing is truncated.
  const ReturningErrors returning(team.comm);
  if (team.rank == 0) {
    MPI_Send(memory.data(), 3, MPI_CHAR, 1, tag, team.comm);
  } else {
    EXPECT_EQ(error_class(MPI_Recv(memory.data(), 2, deep, 0, tag, team.comm, MPI_STATUS_IGNORE)), MPI_ERR_TRUNCATE);
  }
  EXPECT_EQ(memory, (std::array<char, 600>{}));
  void* returned = nullptr;
  int size = 0;
  MPI_Buffer_detach(&returned, &size);
}

// A buffer of the size that MPI_Pack_size and MPI_BSEND_OVERHEAD promise is enough, although Heddle
// packs.
TEST_RANKS(2, Places, BufferOfExactlyTheSizePromised) {
  const Committed type("vector(500, 1, 3, double_int)");
  const int other = 1 - team.rank;
  int size = 0;
  MPI_Pack_size(2, type, team.comm, &size);
  std::vector<char> room(static_cast<std::size_t>(size) + MPI_BSEND_OVERHEAD);
  MPI_Buffer_attach(room.data(), static_cast<int>(room.size()));
  struct Pair {
    double value;
    int index;
  };
  std::vector<Pair> sent(3000), got(3000, {-1, -1});
  for (int i = 0; i < 3000; ++i) sent[static_cast<std::size_t>(i)] = {i + 0.25 * team.rank, i};
  EXPECT_EQ(MPI_Bsend(sent.data(), 2, type, other, tag, team.comm), MPI_SUCCESS);
  EXPECT_EQ(MPI_Recv(got.data(), 2, type, other, tag, team.comm, MPI_STATUS_IGNORE), MPI_SUCCESS);
  for (std::size_t i = 0; i < 2996; ++i) {
    const bool there = i < 1498 ? i % 3 == 0 : (i - 1498) % 3 == 0;
    if (!there) {
      EXPECT_EQ(got[i].index, -1);
      continue;
    }
    EXPECT_EQ(got[i].index, static_cast<int>(i));
    EXPECT_EQ(got[i].value, static_cast<double>(i) + 0.25 * other);
  }
  void* returned = nullptr;
  MPI_Buffer_detach(&returned, &size);
}

// C programs, too, can use Fortran's types of a chosen precision. A host without Fortran may have
// none.
TEST_RANKS(2, Places, TypesOfChosenPrecision) {
  const ReturningErrors returning(MPI_COMM_WORLD), returning_self(MPI_COMM_SELF);
  MPI_Datatype real = MPI_DATATYPE_NULL, integer = MPI_DATATYPE_NULL, complex = MPI_DATATYPE_NULL;
  if (MPI_Type_create_f90_real(12, MPI_UNDEFINED, &real) != MPI_SUCCESS || real == MPI_DATATYPE_NULL ||
      MPI_Type_create_f90_integer(7, &integer) != MPI_SUCCESS || integer == MPI_DATATYPE_NULL ||
      MPI_Type_create_f90_complex(12, MPI_UNDEFINED, &complex) != MPI_SUCCESS || complex == MPI_DATATYPE_NULL)
    GTEST_SKIP() << "the host has no Fortran types";
  const int other = 1 - team.rank;
  for (const MPI_Datatype element : {real, integer, complex}) {
    int size = 0;
    MPI_Type_size(element, &size);
    ASSERT_GT(size, 0);
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Type_vector(40, 1, 2, element, &made);
    const Committed column(made);
    const auto bytes = static_cast<std::size_t>(80 * size);
    std::vector<unsigned char> sent(bytes), got(bytes, 255);
    for (std::size_t i = 0; i < bytes; ++i) sent[i] = static_cast<unsigned char>(i % 251);
    const long before = pmpi_spy::derived("Pack");
    EXPECT_EQ(MPI_Sendrecv(sent.data(), 1, column, other, tag, got.data(), 1, column, other, tag, team.comm, MPI_STATUS_IGNORE),
              MPI_SUCCESS);
    const auto unit = static_cast<std::size_t>(size);
    for (std::size_t i = 0; i < bytes - unit; ++i) EXPECT_EQ(got[i], i / unit % 2 == 0 ? sent[i] : 255);
    std::vector<unsigned char> packed(bytes);
    int at = 0;
    EXPECT_EQ(MPI_Pack(sent.data(), 1, column, packed.data(), static_cast<int>(bytes), &at, team.comm), MPI_SUCCESS);
    EXPECT_EQ(at, 40 * size);
    if (expected() == Expected::on) {
      EXPECT_EQ(pmpi_spy::derived("Pack"), before);  // Heddle knows the type
    }
    std::vector<unsigned char> all(2 * bytes);
    EXPECT_EQ(MPI_Allgather(sent.data(), 1, column, all.data(), 40, element, team.comm), MPI_SUCCESS);
    EXPECT_EQ(all[unit], sent[2 * unit]);
    EXPECT_EQ(all[41 * unit], sent[2 * unit]);
  }
}

}  // namespace heddle::test::places_tests
