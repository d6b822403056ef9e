// MPI by sessions: alone, without MPI_COMM_WORLD, or beside it, from before MPI_Init to after
// MPI_Finalize.
//
//   heddle-sessions-mpich alone|beside|after
//
// After the world has ended, MPICH 5.0.2 alone sometimes hangs in messages, and Open MPI 5.0.11
// alone crashes at once. So the test with MPICH only begins a session, makes local calls in it, and
// ends it.
#include <mpi.h>

#ifdef MPI_SESSION_NULL
#include <cstdio>
#include <cstring>
#include <optional>
#include <vector>

namespace {

int wrong = 0;

void expect(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  ++wrong;
}

/// `count` blocks of `length` ints in rows of twice that length, and the words of a rank in them.
class Columns {
 public:
  Columns(int count, int length) : count_(count), length_(length) {
    MPI_Datatype tight = MPI_DATATYPE_NULL;
    MPI_Type_vector(count, length, 2 * length, MPI_INT, &tight);
    MPI_Type_create_resized(tight, 0, static_cast<MPI_Aint>(sizeof(int)) * 2 * length * count, &type_);
    MPI_Type_commit(&type_);
    MPI_Type_free(&tight);
  }
  ~Columns() { MPI_Type_free(&type_); }
  Columns(const Columns&) = delete;
  Columns& operator=(const Columns&) = delete;

  [[nodiscard]] MPI_Datatype type() const { return type_; }
  [[nodiscard]] std::vector<int> room(int elements) const {
    return std::vector<int>(static_cast<std::size_t>(2 * length_ * count_ * elements), -1);
  }
  void say(std::vector<int>& in, int element, int word) const {
    each(element, [&](std::size_t at, int i, bool ours) {
      if (ours) in[at] = word * 100'000 + i;
    });
  }
  [[nodiscard]] bool said(const std::vector<int>& in, int element, int word) const {
    bool right = true;
    each(element, [&](std::size_t at, int i, bool ours) { right = right && in[at] == (ours ? word * 100'000 + i : -1); });
    return right;
  }

 private:
  template <class Visit>
  void each(int element, const Visit& visit) const {
    for (int i = 0; i < 2 * length_ * count_; ++i)
      visit(static_cast<std::size_t>(element * 2 * length_ * count_ + i), i, i % (2 * length_) < length_);
  }
  int count_, length_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
};

/// A message round the ring, blocking and non-blocking, and collectives of each kind, short and
/// long.
void talk(MPI_Comm comm, const char* where) {
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const int right = (rank + 1) % size, left = (rank + size - 1) % size;
  for (const int length : {1, 40}) {
    const Columns columns(100, length);
    auto out = columns.room(1), in = columns.room(1);
    columns.say(out, 0, rank + 1);
    MPI_Sendrecv(out.data(), 1, columns.type(), right, 1, in.data(), 1, columns.type(), left, 1, comm, MPI_STATUS_IGNORE);
    expect(columns.said(in, 0, left + 1), where);
    in = columns.room(1);
    MPI_Request requests[2];
    MPI_Irecv(in.data(), 1, columns.type(), left, 2, comm, requests);
    MPI_Isend(out.data(), 1, columns.type(), right, 2, comm, requests + 1);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    expect(columns.said(in, 0, left + 1), where);

    in = columns.room(size);
    const std::vector<int> ones(static_cast<std::size_t>(size), 1);
    std::vector<int> at(static_cast<std::size_t>(size)), places(at);
    for (int i = 0; i < size; ++i) {
      at[static_cast<std::size_t>(i)] = i;
      places[static_cast<std::size_t>(i)] = static_cast<int>(sizeof(int)) * 200 * length * i;
    }
    MPI_Allgatherv(out.data(), 1, columns.type(), in.data(), ones.data(), at.data(), columns.type(), comm);
    for (int i = 0; i < size; ++i) expect(columns.said(in, i, i + 1), where);

    auto all = columns.room(size);
    for (int i = 0; i < size; ++i) columns.say(all, i, rank * size + i);
    const std::vector<MPI_Datatype> types(static_cast<std::size_t>(size), columns.type());
    for (const bool waits : {true, false}) {
      in = columns.room(size);
      if (waits) {
        MPI_Alltoallw(all.data(), ones.data(), places.data(), types.data(), in.data(), ones.data(), places.data(), types.data(),
                      comm);
      } else {
        MPI_Request request;
        MPI_Ialltoallw(all.data(), ones.data(), places.data(), types.data(), in.data(), ones.data(), places.data(),
                       types.data(), comm, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
      }
      for (int i = 0; i < size; ++i) expect(columns.said(in, i, i * size + rank), where);
    }
  }
}

void session(const char* where) {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group all, half;
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Comm comm, part, between;
  MPI_Comm_create_from_group(all, "heddle.sessions", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
  talk(comm, where);
  MPI_Comm_dup(comm, &part);
  talk(part, "a duplicate");
  MPI_Comm_free(&part);
  int rank = 0, size = 0;
  MPI_Comm_rank(comm, &rank);
  MPI_Comm_size(comm, &size);
  const auto last_like = [=](int parity) { return size - 1 - (size - 1 - parity) % 2; };
  int range[1][3] = {{rank % 2, last_like(rank % 2), 2}};
  MPI_Group_range_incl(all, 1, range, &half);
  MPI_Comm_create_from_group(half, rank % 2 ? "heddle.odd" : "heddle.even", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &part);
  talk(part, "every other rank");
  MPI_Comm_free(&part);
  MPI_Group other;
  range[0][0] = 1 - rank % 2;
  range[0][1] = last_like(1 - rank % 2);
  MPI_Group_range_incl(all, 1, range, &other);
  MPI_Intercomm_create_from_groups(half, 0, other, 0, "heddle.between", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &between);
  int far = 0, near = 0;
  MPI_Comm_remote_size(between, &far);
  MPI_Comm_rank(between, &near);
  if (near < far) {
    const Columns columns(100, 40);
    auto out = columns.room(1), in = columns.room(1);
    columns.say(out, 0, rank);
    MPI_Sendrecv(out.data(), 1, columns.type(), near, 1, in.data(), 1, columns.type(), near, 1, between, MPI_STATUS_IGNORE);
    expect(columns.said(in, 0, near * 2 + 1 - rank % 2), "between groups");
  }
  MPI_Comm_free(&between);
  MPI_Group_free(&other);
  MPI_Group_free(&half);
  MPI_Group_free(&all);
  MPI_Comm_free(&comm);
  MPI_Session_finalize(&session);
}

/// Calls that need no other rank.
void session_by_itself() {
  MPI_Session session;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  std::optional<Columns> made(std::in_place, 100, 40);
  const Columns& columns = *made;
  int bytes = 0;
  MPI_Type_size(columns.type(), &bytes);
  expect(bytes == 100 * 40 * static_cast<int>(sizeof(int)), "a datatype in a session after the world");
  made.reset();
  MPI_Session_finalize(&session);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "after") == 0) {
#ifdef OPEN_MPI
    return 77;
#endif
    MPI_Init(&argc, &argv);
    talk(MPI_COMM_WORLD, "the world");
    MPI_Finalize();
    session_by_itself();
    session_by_itself();
    if (wrong == 0) std::printf("right\n");
    return wrong == 0 ? 0 : 1;
  }
  const bool beside = argc > 1 && std::strcmp(argv[1], "beside") == 0;
  if (beside) {
    MPI_Session around;
    MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &around);
    MPI_Init(&argc, &argv);
    talk(MPI_COMM_WORLD, "the world within a session");
    session("a session beside the world");
    talk(MPI_COMM_WORLD, "the world after a session");
    MPI_Finalize();
    session("a session after the world");
    MPI_Session_finalize(&around);
  } else {
    session("a session alone");
  }
  if (wrong == 0) std::printf("right\n");
  return wrong == 0 ? 0 : 1;
}
#else
int main() { return 77; }  // no sessions
#endif
