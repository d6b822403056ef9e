// mpi/calls/progress.cpp: barriers and reductions. The host carries them out as the program makes
// them, and completes receives meanwhile. When the call returns, Heddle finishes receives whose
// requests the program has freed.
#include "entry_points.hpp"
#include "mpi/requests/freed.hpp"

namespace heddle::mpi {
namespace {

int progresses(auto host, auto... arguments) { return requests::after_progress(host(arguments...)); }

}  // namespace
}  // namespace heddle::mpi

using namespace heddle::mpi;

extern "C" {
HEDDLE_ENTRY_Barrier(progresses);
HEDDLE_ENTRY_Allreduce(progresses);
HEDDLE_ENTRY_Reduce(progresses);
HEDDLE_ENTRY_Reduce_scatter(progresses);
HEDDLE_ENTRY_Reduce_scatter_block(progresses);
HEDDLE_ENTRY_Scan(progresses);
HEDDLE_ENTRY_Exscan(progresses);
#ifdef HEDDLE_ENTRY_MPIX_Stream_progress
HEDDLE_ENTRY_MPIX_Stream_progress(progresses);
#endif
}
