// files PATH: all ranks together write and read a matrix, whose rows belong to the ranks in turn,
// from columns in memory. The library's file procedures exchange the data by their own messages and
// collectives.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

enum { rows = 64, columns = 300 };

int main(int argc, char** argv) {
  int rank, ranks, i, j, wrong = 0, anywhere = 0;
  static double out[rows][2 * columns], in[rows][2 * columns];
  MPI_Datatype memory, place;
  MPI_File file;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Type_vector(rows, columns, 2 * columns, MPI_DOUBLE, &memory);
  MPI_Type_vector(rows, columns, ranks * columns, MPI_DOUBLE, &place);
  MPI_Type_commit(&memory);
  MPI_Type_commit(&place);
  for (i = 0; i < rows; ++i)
    for (j = 0; j < columns; ++j) out[i][j] = rank * 1e6 + i * 1e3 + j;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file);
  MPI_File_set_view(file, (MPI_Offset)(rank * columns * sizeof(double)), MPI_DOUBLE, place, "native", MPI_INFO_NULL);
  MPI_File_write_all(file, out, 1, memory, MPI_STATUS_IGNORE);
  MPI_File_seek(file, 0, MPI_SEEK_SET);
  MPI_File_read_all(file, in, 1, memory, MPI_STATUS_IGNORE);
  MPI_File_close(&file);
  for (i = 0; i < rows; ++i) wrong |= memcmp(out[i], in[i], columns * sizeof(double)) != 0 || in[i][columns] != 0;
  MPI_Reduce(&wrong, &anywhere, 1, MPI_INT, MPI_MAX, 0, MPI_COMM_WORLD);
  if (rank == 0) puts(anywhere ? "wrong" : "right");
  MPI_Type_free(&memory);
  MPI_Type_free(&place);
  MPI_Finalize();
  return anywhere;
}
