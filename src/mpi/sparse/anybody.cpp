// mpi/sparse/anybody.cpp: what the host says no to is thrown.
#include "mpi/sparse/anybody.hpp"

#include "mpi/sparse/program.hpp"

namespace heddle::mpi::sparse {
namespace {

/// `bytes` bytes as MPI counts them: beyond 1 GiB as one element of a type of its own.
class Wire {
 public:
  explicit Wire(Bytes bytes);
  ~Wire() {
    if (type_ != MPI_BYTE) PMPI_Type_free(&type_);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  static constexpr Bytes piece = Bytes{1} << 30;
  int count_;
  MPI_Datatype type_ = MPI_BYTE;
};

Wire::Wire(Bytes bytes) : count_(bytes <= piece ? static_cast<int>(bytes) : 1) {
  if (bytes <= piece) return;
  int lengths[] = {static_cast<int>(bytes / piece), static_cast<int>(bytes % piece)};
  MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes - bytes % piece)};
  MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_BYTE};
  check(PMPI_Type_contiguous(static_cast<int>(piece), MPI_BYTE, &types[0]));
  check(PMPI_Type_create_struct(2, lengths, places, types, &type_));
  check(PMPI_Type_commit(&type_));
  check(PMPI_Type_free(&types[0]));
}

/// Bytes from which on a message is received while others are looked for.
constexpr Bytes long_one = 16 << 10;

}  // namespace

/// Synchronous.
void Anybody::send(engine::Rank to, const std::byte* at, Bytes bytes) {
  const Wire wire(bytes);
  sends_.push_back(MPI_REQUEST_NULL);
  check(PMPI_Issend(at, wire.count(), wire.type(), to, tag_, comm_, &sends_.back()));
}

bool Anybody::all_received() {
  int all = 0;
  check(PMPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &all, MPI_STATUSES_IGNORE));
  return all != 0;
}

std::optional<Anybody::Found> Anybody::find() {
  int there = 0;
  MPI_Status status;
  MPI_Count bytes = 0;
  check(PMPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &there, &found_, &status));
  if (!there) return {};
  check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
  return Found{status.MPI_SOURCE, bytes};
}

void Anybody::receive(std::byte* to, Bytes bytes) {
  const Wire wire(bytes);
  if (bytes < long_one) return check(PMPI_Mrecv(to, wire.count(), wire.type(), &found_, MPI_STATUS_IGNORE));
  receives_.push_back(MPI_REQUEST_NULL);
  check(PMPI_Imrecv(to, wire.count(), wire.type(), &found_, &receives_.back()));
}

void Anybody::finish_receives() {
  check(PMPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE));
}

void Anybody::begin_barrier() { check(PMPI_Ibarrier(comm_, &barrier_)); }

bool Anybody::barrier_is_over() {
  int over = 0;
  check(PMPI_Test(&barrier_, &over, MPI_STATUS_IGNORE));
  return over != 0;
}

}  // namespace heddle::mpi::sparse
