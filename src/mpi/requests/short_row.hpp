// mpi/requests/short_row.hpp: an array of few requests, looked up on the stack.
//
//   const ShortRow found(count, requests);
//   if (found.known == 0) return PMPI_Waitall(count, requests, statuses);
//   Pending* room[ShortRow::most];
//   Row row(found, room);                                    // completion.hpp
#pragma once

#include "mpi/requests/request_table.hpp"

namespace heddle::mpi::requests {

struct ShortRow {
  static constexpr int most = 32;

  /// @param n  At most `most`.
  ShortRow(int n, MPI_Request* row) noexcept : count(n), requests(row), known(table.find(n, row, spots)) {}

  /// The caller lists `n` entries that it has found.
  ShortRow(int length, MPI_Request* row, int n) noexcept : count(length), requests(row), known(n) {}

  int count;
  MPI_Request* requests;
  int known;  ///< How many are in the table, inactive ones included.
  Table::Spot spots[most];
};

}  // namespace heddle::mpi::requests
