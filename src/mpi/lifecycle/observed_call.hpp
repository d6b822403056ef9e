// mpi/lifecycle/observed_call.hpp: a procedure of Heddle or of the host, with an observer around it
// (report/timed.hpp).
//
//   Timed<&MPI_Send, 17, Positions{.buffer = 0, .count = 1, .type = 2, .peer = 3, .communicator = 5}>::call
#pragma once

#include "mpi/process/host.hpp"
#include "report/timed.hpp"

namespace heddle::mpi::timed {

using report::Completes;
using report::Meets;
using report::Pattern;
using report::Positions;

struct Constants {
  static MPI_Datatype no_type() noexcept { return MPI_DATATYPE_NULL; }
  static MPI_Comm no_communicator() noexcept { return MPI_COMM_NULL; }
  static MPI_Win no_window() noexcept { return MPI_WIN_NULL; }
  static const void* in_place() noexcept { return MPI_IN_PLACE; }
  static bool is_ignored(const MPI_Status* status) noexcept {
    return status == MPI_STATUS_IGNORE || status == MPI_STATUSES_IGNORE;
  }
  static constexpr int root = MPI_ROOT;
  static constexpr int nobody = MPI_PROC_NULL;
  static constexpr int success = MPI_SUCCESS;
  static constexpr int any_source = MPI_ANY_SOURCE;
  static constexpr int any_tag = MPI_ANY_TAG;
};

template <auto procedure, int number, Positions at>
using Timed = report::Timed<Constants, procedure, number, at>;

template <class Function, int number, Positions at>
using OfHost = report::OfHost<Constants, Function, number, at>;

}  // namespace heddle::mpi::timed
