// mpi/exchange/mpi_carrier.cpp: a message of more than 1 GiB is several messages of the host, whose
// counts are int. Both ends know its length, and cut it alike. The numbers of a share are reduced
// in different ways. So a share is one element of a new datatype, which no host cuts.
#include "mpi/exchange/mpi_carrier.hpp"

#include <algorithm>
#include <new>

namespace heddle::mpi {
namespace {

constexpr engine::Bytes longest = 1 << 30;

/// Calls each(offset, bytes) for each part, at least once.
template <class Each>
void cut(engine::Bytes bytes, Each each) {
  engine::Bytes at = 0;
  do {
    each(at, static_cast<int>(std::min(bytes - at, longest)));
    at += longest;
  } while (at < bytes);
}

MPI_Op joining = MPI_OP_NULL;
MPI_Datatype share_type = MPI_DATATYPE_NULL;

void join(void* given, void* into, int* count, MPI_Datatype* /*type*/) {
  const auto* shares = static_cast<const select::Share*>(given);
  auto* both = static_cast<select::Share*>(into);
  for (int i = 0; i < *count; ++i) both[i] = select::joined(shares[i], both[i]);
}

}  // namespace

/// If there is no memory for the request, it is waited for at once. In general a send must not be
/// waited for, but here the program is about to end.
void Channel::keep(Row& row, MPI_Request request) noexcept try {
  row.requests.push_back(request);
} catch (const std::bad_alloc&) {
  note(PMPI_Wait(&request, MPI_STATUS_IGNORE));
}

void Channel::send(engine::Rank to, std::span<const engine::Piece> pieces) noexcept {
  MPI_Request request = MPI_REQUEST_NULL;
  SharedCopy copy;
  if (holds_ == Holds::packed) {
    engine::Bytes bytes = 0;
    for (const engine::Piece& one : pieces) bytes += one.bytes;
    copy.begin(bytes >= SharedCopy::least);
  }
  if (pieces.size() > 1) {
    note(gather(to, pieces, &request));
    return keep(sends_, request);
  }
  cut(pieces[0].bytes, [&](engine::Bytes at, int bytes) {
    note(PMPI_Isend(pieces[0].at + at, bytes, MPI_BYTE, to, tag_, comm_, &request));
    keep(sends_, request);
  });
}

/// The host collects the pieces itself, on their way into its own buffers. Together they have 1 GiB
/// at most.
int Channel::gather(engine::Rank to, std::span<const engine::Piece> pieces, MPI_Request* request) noexcept try {
  std::vector<int> lengths;
  std::vector<MPI_Aint> places;
  for (const engine::Piece& one : pieces) {
    lengths.push_back(static_cast<int>(one.bytes));
    places.push_back(reinterpret_cast<MPI_Aint>(one.at));
  }
  MPI_Datatype type = MPI_DATATYPE_NULL;
  int error = PMPI_Type_create_hindexed(static_cast<int>(pieces.size()), lengths.data(), places.data(), MPI_BYTE, &type);
  if (error != MPI_SUCCESS) return error;
  error = PMPI_Type_commit(&type);
  if (error == MPI_SUCCESS) error = PMPI_Isend(MPI_BOTTOM, 1, type, to, tag_, comm_, request);
  PMPI_Type_free(&type);
  return error;
} catch (const std::bad_alloc&) {
  return MPI_ERR_NO_MEM;
}

Channel::Ticket Channel::receive(engine::Rank from, std::byte* to, engine::Bytes room) noexcept {
  cut(room, [&](engine::Bytes at, int bytes) {
    MPI_Request request = MPI_REQUEST_NULL;
    note(PMPI_Irecv(to + at, bytes, MPI_BYTE, from, tag_, comm_, &request));
    keep(receives_, request);
  });
  return receives_.requests.size() - 1;
}

bool Channel::over(Row& row, Ticket last, bool wait) noexcept {
  for (; row.done < row.requests.size() && row.done <= last; ++row.done) {
    int done = 1;
    const int error = wait ? PMPI_Wait(&row.requests[row.done], MPI_STATUS_IGNORE)
                           : PMPI_Test(&row.requests[row.done], &done, MPI_STATUS_IGNORE);
    if (error == MPI_SUCCESS && !done) return false;
    note(error);
  }
  return true;
}

bool Channel::finished(bool wait) noexcept {
  if (!over(receives_, all, wait) || !over(sends_, all, wait)) return false;
  for (Row* const row : {&receives_, &sends_}) {
    row->requests.clear();
    row->done = 0;
  }
  return true;
}

bool Reductions::open() noexcept {
  return PMPI_Type_contiguous(static_cast<int>(sizeof(select::Share)), MPI_BYTE, &share_type) == MPI_SUCCESS &&
         PMPI_Type_commit(&share_type) == MPI_SUCCESS && PMPI_Op_create(join, 1, &joining) == MPI_SUCCESS;
}

void Reductions::close() noexcept {
  if (joining != MPI_OP_NULL) PMPI_Op_free(&joining);
  if (share_type != MPI_DATATYPE_NULL) PMPI_Type_free(&share_type);
}

void Reductions::begin(int number, std::span<const std::int64_t> mine, std::span<std::int64_t> all, By by) noexcept {
  PMPI_Iallreduce(mine.data(), all.data(), static_cast<int>(mine.size()), MPI_INT64_T, by == By::sum ? MPI_SUM : MPI_MAX, comm_,
                  &request(number));
}

void Reductions::begin(int number, const select::Share& mine, select::Share& all) noexcept {
  PMPI_Iallreduce(&mine, &all, 1, share_type, joining, comm_, &request(number));
}

}  // namespace heddle::mpi
