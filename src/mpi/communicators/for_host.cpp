// mpi/communicators/for_host.cpp: makes the datatype of large pieces.
#include "mpi/communicators/for_host.hpp"

namespace heddle::mpi {
namespace {

/// Elements of a piece. The number of pieces fits int for fewer than 2^61 elements. Hosts add up
/// the bytes of a piece in more than 32 bits.
constexpr Count piece = Count{1} << 30;

}  // namespace

MPI_Datatype in_large_pieces(Count count, MPI_Datatype type) noexcept {
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  MPI_Datatype of_piece = MPI_DATATYPE_NULL;
  MPI_Datatype all = MPI_DATATYPE_NULL;
  if (count / piece > INT_MAX || PMPI_Type_get_extent(type, &low, &extent) != MPI_SUCCESS ||
      PMPI_Type_contiguous(static_cast<int>(piece), type, &of_piece) != MPI_SUCCESS)
    return MPI_DATATYPE_NULL;
  const int lengths[] = {static_cast<int>(count / piece), static_cast<int>(count % piece)};
  const MPI_Aint places[] = {0, static_cast<MPI_Aint>(count - count % piece) * extent};
  const MPI_Datatype types[] = {of_piece, type};
  const int error = PMPI_Type_create_struct(2, lengths, places, types, &all);
  PMPI_Type_free(&of_piece);
  if (error != MPI_SUCCESS) return MPI_DATATYPE_NULL;
  if (PMPI_Type_commit(&all) == MPI_SUCCESS) return all;
  PMPI_Type_free(&all);
  return MPI_DATATYPE_NULL;
}

}  // namespace heddle::mpi
