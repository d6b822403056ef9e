// mpi/sparse/call.cpp: heddle_exchange of heddle/exchange.h, as programs under Heddle get it.
#include <exception>
#include <new>

#include "mpi/communicators/known.hpp"
#include "mpi/process/process.hpp"
#include "mpi/sparse/ways.hpp"

namespace heddle::mpi::sparse {
namespace {

int go(Job& job) {
  const std::string_view way = job.shadow.ranks() == 1 ? "consensus" : way_of(job.shadow).name;
  if (way == "counts") return by_counts(job);
  if (way == "crystal") return by_crystal(job);
  return by_consensus(job);
}

int exchange(const heddle_departures& departures, heddle_arrivals* arrivals, MPI_Datatype receive_type, MPI_Comm comm) {
  int inter = 0;
  int ranks = 0;
  if (const int error = PMPI_Comm_test_inter(comm, &inter); error != MPI_SUCCESS) return error;
  if (inter) return MPI_ERR_COMM;
  if (!arrivals || (arrivals->data && arrivals->room < 0)) return MPI_ERR_ARG;
  PMPI_Comm_size(comm, &ranks);
  Element element;
  if (const int error = element.look(receive_type); error != MPI_SUCCESS) return error;
  Outgoing out;
  if (const int error = out.read(departures, ranks); error != MPI_SUCCESS) return error;
  ShadowComm* shadow = ShadowComm::for_exchange(comm);
  if (!shadow) return MPI_ERR_NO_MEM;
  Incoming in(element, shadow->comm());
  Job job{*shadow, out, in, *arrivals};
  return go(job);
}

}  // namespace
}  // namespace heddle::mpi::sparse

extern "C" int heddle_exchange_carry_out(const heddle_departures* departures, heddle_arrivals* arrivals,
                                         MPI_Datatype receive_type, MPI_Comm comm) {
  using namespace heddle::mpi;
  running();  // where MPI_Init did not come to Heddle, this may be what wakes it
  int result = MPI_SUCCESS;
  try {
    result = sparse::exchange(*departures, arrivals, receive_type, comm);
  } catch (const sparse::Failed& failed) {
    result = failed.code;
  } catch (const std::bad_alloc&) {
    result = MPI_ERR_NO_MEM;
  } catch (const std::exception&) {
    result = MPI_ERR_INTERN;
  }
  if (result != MPI_SUCCESS) communicators::raise(comm, result);
  return result;
}
