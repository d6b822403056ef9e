// mpi/calls/called_back.cpp: calls after which the host may call the program back while it
// completes requests. From then on, requests in rows are looked up before the host is asked. The
// error handler of a communicator may also throw out of a receive, leave it by longjmp, or call MPI
// within it. Then nothing is concluded from descriptors that this process leaves unclaimed. Under
// MPICH, a call that fails returns MPI_SUCCESS after such a handler has returned
// (communicators::hides_errors()).
#include "entry_points.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/requests/request_table.hpp"
#include "mpi/window/window_registry.hpp"

namespace heddle::mpi {
namespace {

void expect_calls() noexcept {
  static constinit std::atomic<bool> expected{false};
  if (!expected.exchange(true)) requests::table.count_reason(1);
}

int in_completions(auto host, auto... arguments) {
  expect_calls();
  return host(arguments...);
}

int in_receives(auto host, auto... arguments) {
  Watch::uncertain();
  communicators::expect_handlers();
  return in_completions(host, arguments...);
}

int in_windows(auto host, auto... arguments) {
  windows::expect_handlers();
  return in_completions(host, arguments...);
}

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_ENTRY_Comm_create_errhandler(in_receives);
HEDDLE_ENTRY_Errhandler_create(in_receives);
HEDDLE_ENTRY_File_create_errhandler(in_completions);
HEDDLE_ENTRY_Win_create_errhandler(in_windows);
HEDDLE_ENTRY_Grequest_start(in_completions);
#ifdef HEDDLE_ENTRY_MPIX_Comm_create_errhandler_x
HEDDLE_ENTRY_MPIX_Comm_create_errhandler_x(in_receives);
HEDDLE_ENTRY_MPIX_File_create_errhandler_x(in_completions);
HEDDLE_ENTRY_MPIX_Win_create_errhandler_x(in_windows);
#endif
#ifdef HEDDLE_ENTRY_MPIX_Grequest_start  // the standard ABI has none
HEDDLE_ENTRY_MPIX_Grequest_start(in_completions);
HEDDLE_ENTRY_MPIX_Grequest_class_allocate(in_completions);
#endif
}
