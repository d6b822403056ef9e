// mpi/calls/comm.cpp: calls that make communicators, set their hints, or free them. The group of a
// new communicator follows from its parent or from a group of the program, or only the host knows
// it. Two hints are for Heddle (mpi/exchange/info_hints.hpp).
#include "entry_points.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/communicators/groups.hpp"
#include "mpi/communicators/host_group.hpp"
#include "mpi/exchange/info_hints.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/node/mpi_node.hpp"
#include "mpi/p2p/watch.hpp"
#include "mpi/process/process.hpp"
#include "mpi/requests/freed.hpp"
#include "report/reporting.hpp"
#include "threads/deferred.hpp"

namespace heddle::mpi::communicators {
namespace {

/// True: there is a new communicator. MPICH may return MPI_SUCCESS for a failed call, too, once a
/// handler of the program has heard of the error. Then `made` is null, if the program gave none.
bool is_made(const Made& call, int result) { return result == MPI_SUCCESS && call.made && *call.made != MPI_COMM_NULL; }

/// Only the host knows its group.
int left(const Made& call, auto host) {
  const int result = host();
  if (is_made(call, result) && opened()) leave(call.by, *call.made);
  return result;
}

/// Its group is one that the program has made.
int composed(const Made& call, auto host) {
  const int result = host();
  if (!is_made(call, result)) return result;
  if (traits().makes_without_handler) without_handler(*call.made);
  if (opened()) of_group(call);
  return result;
}

/// Only the local group of an inter-communicator is an argument.
int composed_of_local(const Made& call, auto host) {
  const int result = host();
  const auto done = [result] { return result; };
  return result == MPI_SUCCESS && Peers(call.comm).inter ? left(call, done) : composed(call, done);
}

/// Its group follows from the parent's. All its ranks are in this call, so the shadow communicator
/// (exchange/) is made now. Non-blocking neighbour collectives could not make it.
int with_topology(const Made& call, auto host) {
  const int result = host();
  if (!is_made(call, result)) return result;
  if (opened()) front_of(call);
  ShadowComm::of(*call.made);
  return result;
}

int part(auto host, MPI_Comm comm, const int* remain_dims, MPI_Comm* newcomm) {
  const int result = host(comm, remain_dims, newcomm);
  if (result == MPI_SUCCESS && opened() && newcomm && *newcomm != MPI_COMM_NULL)
    part_of("MPI_Cart_sub", *newcomm, comm, remain_dims);
  return result;
}

/// The duplicate has the group of the original.
/// @param complete  The duplicate is ready when the call returns.
/// @param context  The context of the duplicate.
int duplicate(const Made& call, auto host, bool complete = true, std::unique_ptr<Context> context = nullptr) {
  if (!opened()) return host();
  Duplicating duplicating(std::move(context));
  const int result = host();
  if (is_made(call, result)) duplicating.end(call.by, call.comm, *call.made, complete);
  return result;
}

int start_duplicate(const Made& call, auto host) { return duplicate(call, host, false); }
int start_hinted_duplicate(const Made& call, auto host) {
  return duplicate(call, host, false, hints_to_come(call.comm, call.info));
}

int hinted(const Made& call, int result) {
  if (is_made(call, result)) hints_given(*call.made, call.info);
  return result;
}
int left_hinted(const Made& call, auto host) { return hinted(call, left(call, host)); }
int hinted_with_topology(const Made& call, auto host) { return hinted(call, with_topology(call, host)); }
int hinted_duplicate(const Made& call, auto host) { return hinted(call, duplicate(call, host)); }

int set_info(auto host, MPI_Comm comm, MPI_Info info) {
  const int result = host(comm, info);
  if (result == MPI_SUCCESS) hints_given(comm, info);
  return result;
}

int get_info(auto host, MPI_Comm comm, MPI_Info* info_used) {
  const int result = host(comm, info_used);
  if (result == MPI_SUCCESS && info_used) hints_shown(comm, *info_used);
  return result;
}

/// The communicator belongs to streams, or to threads.
[[maybe_unused]] int of_streams(const Made& call, auto host) {
  const int result = host();
  if (is_made(call, result)) leave_to_host(call.by, *call.made);
  return result;
}
[[maybe_unused]] int of_threads(const Made& call, auto host) {
  const int result = host();
  if (is_made(call, result)) leave_threads_to_host(*call.made);
  return result;
}
[[maybe_unused]] int freed_by_threads(auto host, MPI_Comm* comm) {
  if (comm && *comm != MPI_COMM_NULL) threads_end(*comm);
  return host(comm);
}

/// Requests of Heddle on a communicator would keep MPICH from freeing it, and so from calling its
/// delete callbacks. They would also keep MPI_Comm_disconnect from returning. Requests whose
/// messages have been received end here. False: some are left.
bool nothing_pends_on(MPI_Comm comm) {
  if (!MpiNode::here() && !Network::here()) return true;
  requests::look_after_freed();
  if (Network* const network = Network::here()) network->finish_over();
  return Watch::leaves(comm);
}

/// This is the last time that operations under way learn facts of their communicator (Freeing).
/// Objects that other callbacks have left are freed after the host's call: a callback may come from
/// a place where no call of MPI is allowed (threads/deferred.hpp).
int end(auto host, MPI_Comm* comm) {
  int result = MPI_SUCCESS;
  {
    const Freeing freeing(*comm);
    result = host(comm);
  }
  report::tell_of_new_handle();
  threads::Deferred::free_all();
  return result;
}

int freed(auto host, MPI_Comm* comm) {
  if (!comm || *comm == MPI_COMM_NULL) return host(comm);
  nothing_pends_on(*comm);
  return end(host, comm);
}

/// Without Heddle, a message that nobody receives does not keep the call from returning. It must
/// not do so under Heddle, either.
int disconnected(auto host, MPI_Comm* comm) {
  if (!comm || *comm == MPI_COMM_NULL) return host(comm);
  if (nothing_pends_on(*comm)) return end(host, comm);
  // Open MPI waits for no request, but for all ranks to disconnect.
  return traits().host == Host::openmpi ? end(host, comm) : end(PMPI_Comm_free, comm);
}

}  // namespace
}  // namespace heddle::mpi::communicators

namespace communicators = heddle::mpi::communicators;

extern "C" {
HEDDLE_MADE_Comm_split(communicators::left);
HEDDLE_MADE_Comm_split_type(communicators::left_hinted);
HEDDLE_MADE_Comm_create(communicators::composed_of_local);
HEDDLE_MADE_Comm_create_group(communicators::composed);
HEDDLE_MADE_Comm_create_from_group(communicators::composed);
HEDDLE_MADE_Intercomm_create(communicators::left);
HEDDLE_MADE_Intercomm_create_from_groups(communicators::left);
HEDDLE_MADE_Intercomm_merge(communicators::left);
HEDDLE_MADE_Cart_create(communicators::with_topology);
HEDDLE_ENTRY_Cart_sub(communicators::part);
HEDDLE_MADE_Graph_create(communicators::with_topology);
HEDDLE_MADE_Dist_graph_create(communicators::hinted_with_topology);
HEDDLE_MADE_Dist_graph_create_adjacent(communicators::hinted_with_topology);
HEDDLE_MADE_Comm_dup(communicators::duplicate);
HEDDLE_MADE_Comm_dup_with_info(communicators::hinted_duplicate);
HEDDLE_MADE_Comm_idup(communicators::start_duplicate);
HEDDLE_MADE_Comm_idup_with_info(communicators::start_hinted_duplicate);
HEDDLE_ENTRY_Comm_set_info(communicators::set_info);
HEDDLE_ENTRY_Comm_get_info(communicators::get_info);
HEDDLE_ENTRY_Comm_free(communicators::freed);
HEDDLE_ENTRY_Comm_disconnect(communicators::disconnected);
#ifdef HEDDLE_MADE_MPIX_Stream_comm_create
HEDDLE_MADE_MPIX_Stream_comm_create(communicators::of_streams);
HEDDLE_MADE_MPIX_Stream_comm_create_multiplex(communicators::of_streams);
HEDDLE_MADE_MPIX_Threadcomm_init(communicators::of_threads);
HEDDLE_ENTRY_MPIX_Threadcomm_free(communicators::freed_by_threads);
#endif
}
