// Processes of two worlds, of which the second runs without Heddle. Collectives and topologies use
// communicators that reach from one to the other. Heddle must make no call of its own over them.
//
//   heddle-spawned-mpich              spawns two more of itself, through env, which removes LD_PRELOAD
//
// Prints "all right" from rank 0 of the first world.
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace {

int wrong = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}

std::vector<int> places(int ranks, int each) {
  std::vector<int> at(static_cast<std::size_t>(ranks));
  for (int i = 0; i < ranks; ++i) at[static_cast<std::size_t>(i)] = i * each;
  return at;
}

bool told(const std::vector<int>& got, int from, int length, int word) {
  bool right = true;
  for (int i = 0; i < length; ++i) right = right && got[static_cast<std::size_t>(from * length + i)] == word;
  return right;
}

/// Columns of ints. In the first world Heddle would hand them on as ints, but in the second no
/// layer does.
class Columns {
 public:
  explicit Columns(int rows) : rows_(rows) {
    MPI_Datatype tight = MPI_DATATYPE_NULL;
    MPI_Type_vector(rows, 1, 2, MPI_INT, &tight);
    MPI_Type_create_resized(tight, 0, static_cast<MPI_Aint>(2 * sizeof(int)) * rows, &type);
    MPI_Type_commit(&type);
    MPI_Type_free(&tight);
  }
  ~Columns() { MPI_Type_free(&type); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;
  [[nodiscard]] std::vector<int> room(int elements) const {
    return std::vector<int>(static_cast<std::size_t>(2 * rows_ * elements), -1);
  }
  [[nodiscard]] bool hold(const std::vector<int>& room, int element, int word) const {
    bool right = true;
    for (int i = 0; i < rows_; ++i) {
      const auto at = static_cast<std::size_t>(2 * (element * rows_ + i));
      right = right && room[at] == word && room[at + 1] == -1;
    }
    return right;
  }
  void say(std::vector<int>& room, int element, int word) const {
    for (int i = 0; i < rows_; ++i) room[static_cast<std::size_t>(2 * (element * rows_ + i))] = word;
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;

 private:
  int rows_;
};

void merged(MPI_Comm comm) {
  int me = 0;
  int ranks = 0;
  MPI_Comm_rank(comm, &me);
  MPI_Comm_size(comm, &ranks);
  const auto n = static_cast<std::size_t>(ranks);

  for (const int length : {1, 5000}) {
    const std::vector<int> counts(n, length);
    const std::vector<int> at = places(ranks, length);
    std::vector<int> sent(n * static_cast<std::size_t>(length), me);
    std::vector<int> got(sent.size(), -1);
    MPI_Alltoallv(sent.data(), counts.data(), at.data(), MPI_INT, got.data(), counts.data(), at.data(), MPI_INT, comm);
    for (int i = 0; i < ranks; ++i) expect(told(got, i, length, i), "MPI_Alltoallv");
    MPI_Alltoall(sent.data(), length, MPI_INT, got.data(), length, MPI_INT, comm);
    for (int i = 0; i < ranks; ++i) expect(told(got, i, length, i), "MPI_Alltoall");
    got.assign(got.size(), -1);
    MPI_Allgatherv(sent.data(), length, MPI_INT, got.data(), counts.data(), at.data(), MPI_INT, comm);
    for (int i = 0; i < ranks; ++i) expect(told(got, i, length, i), "MPI_Allgatherv");
    MPI_Request request = MPI_REQUEST_NULL;
    got.assign(got.size(), -1);
    MPI_Ialltoallv(sent.data(), counts.data(), at.data(), MPI_INT, got.data(), counts.data(), at.data(), MPI_INT, comm,
                   &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < ranks; ++i) expect(told(got, i, length, i), "MPI_Ialltoallv");
  }

  for (const int rows : {3, 40'000}) {
    const Columns columns(rows);
    std::vector<int> data = columns.room(1);
    if (me == 0) columns.say(data, 0, 17);
    MPI_Bcast(data.data(), 1, columns.type, 0, comm);
    expect(columns.hold(data, 0, 17), "MPI_Bcast");
    std::vector<int> all = columns.room(ranks);
    columns.say(data, 0, me);
    MPI_Allgather(data.data(), 1, columns.type, all.data(), 1, columns.type, comm);
    for (int i = 0; i < ranks; ++i) expect(columns.hold(all, i, i), "MPI_Allgather");
    const int next = (me + 1) % ranks;
    const int previous = (me + ranks - 1) % ranks;
    std::vector<int> from = columns.room(1);
    MPI_Sendrecv(data.data(), 1, columns.type, next, 1, from.data(), 1, columns.type, previous, 1, comm, MPI_STATUS_IGNORE);
    expect(columns.hold(from, 0, previous), "MPI_Sendrecv");
  }

  const int periodic = 1;
  MPI_Comm ring = MPI_COMM_NULL;
  MPI_Cart_create(comm, 1, &ranks, &periodic, 0, &ring);
  const int sent[2] = {me, me};
  int got[2] = {-1, -1};
  MPI_Neighbor_alltoall(sent, 1, MPI_INT, got, 1, MPI_INT, ring);
  expect(got[0] == (me + ranks - 1) % ranks && got[1] == (me + 1) % ranks, "MPI_Neighbor_alltoall");
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "heddle_alltoallv", "crystal");
  MPI_Comm_dup_with_info(ring, info, &copy);
  MPI_Comm_set_info(copy, info);
  MPI_Neighbor_allgather(sent, 1, MPI_INT, got, 1, MPI_INT, copy);
  expect(got[0] == (me + ranks - 1) % ranks && got[1] == (me + 1) % ranks, "MPI_Neighbor_allgather");
  MPI_Info_free(&info);
  MPI_Comm_free(&copy);
  MPI_Comm_free(&ring);
}

/// Collectives between the two worlds.
void between(MPI_Comm inter) {
  int me = 0;
  int others = 0;
  MPI_Comm_rank(inter, &me);
  MPI_Comm_remote_size(inter, &others);
  const auto n = static_cast<std::size_t>(others);
  const std::vector<int> counts(n, 1);
  const std::vector<int> at = places(others, 1);
  std::vector<int> sent(n, me);
  std::vector<int> got(n, -1);
  MPI_Alltoallv(sent.data(), counts.data(), at.data(), MPI_INT, got.data(), counts.data(), at.data(), MPI_INT, inter);
  for (int i = 0; i < others; ++i) expect(told(got, i, 1, i), "MPI_Alltoallv between worlds");
  const Columns columns(30'000);
  std::vector<int> all = columns.room(others);
  std::vector<int> data = columns.room(1);
  columns.say(data, 0, me);
  MPI_Allgather(data.data(), 1, columns.type, all.data(), 1, columns.type, inter);
  for (int i = 0; i < others; ++i) expect(columns.hold(all, i, i), "MPI_Allgather between worlds");
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm inter = MPI_COMM_NULL;
  MPI_Comm_get_parent(&inter);
  const bool child = inter != MPI_COMM_NULL;
  if (!child) {
    char keep_out[] = "-u";
    char preload[] = "LD_PRELOAD";
    char* arguments[] = {keep_out, preload, argv[0], nullptr};
    MPI_Comm_spawn("/usr/bin/env", arguments, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, &inter, MPI_ERRCODES_IGNORE);
  } else {
    expect(!std::getenv("LD_PRELOAD"), "spawned processes are without Heddle");
  }
  between(inter);
  MPI_Comm all = MPI_COMM_NULL;
  MPI_Intercomm_merge(inter, child ? 1 : 0, &all);
  merged(all);

  // A communicator of one world, made of the common one. Heddle carries out its collectives again.
  int me = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(all, child ? 1 : 0, 0, &half);
  merged(half);
  MPI_Comm_free(&half);
  int mistakes = 0;
  MPI_Allreduce(&wrong, &mistakes, 1, MPI_INT, MPI_SUM, all);
  MPI_Comm_free(&all);
  MPI_Comm_disconnect(&inter);
  if (!child && me == 0 && mistakes == 0) std::printf("all right\n");
  MPI_Finalize();
  return mistakes != 0;
}
