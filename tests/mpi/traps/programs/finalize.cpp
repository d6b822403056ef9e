// finalize CASE: the sender has left for MPI_Finalize before the receiver begins. Ends with 0 if
// every element arrived.
//
//   send, ssend, irecv, freed, both   messages of several sizes
//   none                              the only message is too long for its receive, which has room for nothing
//   left                              rank 1 expects nothing that rank 0 sends to it in persistent collectives
//   file                              a callback of MPI_Finalize makes the first access to a file
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

#include "traps/large.hpp"

using heddle::test::KiB;
using heddle::test::Large;
using heddle::test::MiB;
using heddle::test::Shape;

namespace {

/// Columns of a matrix, which two ranks write to a file when MPI_COMM_SELF is freed.
struct LateFile {
  static constexpr int rows = 256, wide = 128;
  static constexpr std::size_t most = 2 * rows * wide;
  MPI_File file = MPI_FILE_NULL;
  std::vector<double> data;
  std::string name;
  int look = -1;  ///< A descriptor of the file, for wrong().

  explicit LateFile(int rank) : data(std::size_t{rows} * wide, 1 + rank) {
    int keyval = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, write, &keyval, nullptr);
    MPI_Comm_set_attr(MPI_COMM_SELF, keyval, this);
    int number = static_cast<int>(getpid());
    MPI_Bcast(&number, 1, MPI_INT, 0, MPI_COMM_WORLD);
    name = "heddle-late." + std::to_string(number);
    MPI_File_open(MPI_COMM_WORLD, name.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
    look = open(name.c_str(), O_RDONLY | O_CLOEXEC);
    const int sizes[] = {rows, 2 * wide}, own[] = {rows, wide}, starts[] = {0, rank * wide};
    MPI_Datatype columns = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(2, sizes, own, starts, MPI_ORDER_C, MPI_DOUBLE, &columns);
    MPI_Type_commit(&columns);
    MPI_File_set_view(file, 0, MPI_DOUBLE, columns, "native", MPI_INFO_NULL);
    MPI_Type_free(&columns);
  }
  static int write(MPI_Comm /*self*/, int /*keyval*/, void* value, void* /*state*/) {
    auto& late = *static_cast<LateFile*>(value);
    const int result = MPI_File_write_all(late.file, late.data.data(), rows * wide, MPI_DOUBLE, MPI_STATUS_IGNORE);
    MPI_File_close(&late.file);
    unlink(late.name.c_str());
    return result;
  }
  /// After MPI_Finalize.
  [[nodiscard]] bool wrong() const {
    std::vector<double> found(most);
    if (pread(look, found.data(), most * sizeof(double), 0) != most * sizeof(double)) return true;
    for (std::size_t i = 0; i < most; ++i)
      if (found[i] != (i / wide % 2 == 0 ? 1 : 2)) return true;
    return false;
  }
};

}  // namespace

int main(int argc, char** argv) {
  const std::string_view what = argc > 1 ? argv[1] : "";
  alarm(200);
  MPI_Init(&argc, &argv);
  int rank = 0, wrong = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  if (what == "none") {
    Large one(Shape::columns, 2 * KiB);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    if (rank == 0)
      MPI_Send(one.base(), one.count(), one.type(), 1, 0, MPI_COMM_WORLD);
    else
      wrong = MPI_Recv(nullptr, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
  } else if (what == "file") {
    const LateFile late(rank);
    MPI_Finalize();
    return late.wrong() ? 1 : 0;
  } else if (what == "left") {
    const int out[] = {0, rank == 0 ? 4 : 0}, none[] = {0, 0};
    const int sent[4] = {};
    int got[4] = {};
    for (int call = 0; call < 3; ++call) {
      MPI_Request request = MPI_REQUEST_NULL;
      MPI_Alltoallv_init(sent, out, none, MPI_INT, got, none, none, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &request);
      MPI_Start(&request);
      MPI_Wait(&request, MPI_STATUS_IGNORE);
      MPI_Request_free(&request);
    }
  } else {
    constexpr std::size_t sizes[] = {2 * KiB, 9 * KiB, 300 * KiB, MiB};
    std::vector<std::unique_ptr<Large>> data;
    std::vector<MPI_Request> requests;
    for (const std::size_t bytes : sizes) data.push_back(std::make_unique<Large>(rank ? Shape::rows : Shape::columns, bytes));
    const auto in_flight = [&](auto call, Large& one, int tag) {
      requests.push_back(MPI_REQUEST_NULL);
      call(one.base(), one.count(), one.type(), 1 - rank, tag, MPI_COMM_WORLD, &requests.back());
    };
    if (rank == 0) {
      int tag = 0;
      for (auto& one : data) {
        one->fill(static_cast<std::uint32_t>(tag));
        if (what == "freed") {
          in_flight(MPI_Isend, *one, tag);
          MPI_Request_free(&requests.back());
        } else if (what == "ssend") {
          MPI_Ssend(one->base(), one->count(), one->type(), 1, tag, MPI_COMM_WORLD);
        } else if (what == "both") {
          in_flight(MPI_Isend, *one, tag);
        } else {
          MPI_Send(one->base(), one->count(), one->type(), 1, tag, MPI_COMM_WORLD);
        }
        ++tag;
      }
      if (what == "freed") MPI_Barrier(MPI_COMM_WORLD);
      if (what == "both") MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
    } else {
      int tag = 0;
      if (what == "irecv")
        for (auto& one : data) in_flight(MPI_Irecv, *one, tag++);
      usleep(200000);
      if (what == "irecv") {
        MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
      } else {
        for (auto& one : data) MPI_Recv(one->base(), one->count(), one->type(), 0, tag++, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      }
      tag = 0;
      for (auto& one : data) {
        const std::string complaint = one->wrong(static_cast<std::uint32_t>(tag++));
        if (!complaint.empty()) std::printf("wrong: %s\n", complaint.c_str()), wrong = 1;
      }
      if (what == "freed") MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  MPI_Finalize();
  return wrong;
}
