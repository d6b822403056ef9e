// mpi/sparse/call.cpp: heddle_exchange of heddle/exchange.h, as programs under Heddle get it.
#include <algorithm>
#include <exception>
#include <limits>
#include <new>

#include "engine/give_way.hpp"
#include "mpi/communicators/known.hpp"
#include "mpi/process/process.hpp"
#include "mpi/sparse/anybody.hpp"
#include "mpi/sparse/program.hpp"
#include "select/collective/decide.hpp"

namespace heddle::mpi::sparse {
namespace {

/// How the sparse exchanges of a communicator go: the same on all ranks, whatever their environments say. Who sends to whom is
/// nobody's knowledge: the choice is made once, for what such exchanges are like. Collective at the first call. Throws
/// std::bad_alloc.
const SparseWay& way_of(ShadowComm& own) {
  std::optional<SparseWay>& way = own.sparse_way();
  if (way) return *way;
  const Record& record = own.record();
  const select::Way chosen = choose_exchange(select::typical_exchange(own.topology().where));
  way = {.name = record.exchange == settings::Exchange::automatic ? chosen.algorithm->name : name(record.exchange),
         .radix = record.radix > 0 ? record.radix : std::max(2, chosen.radix)};
  return *way;
}

void carry_out(ShadowComm& shadow, engine::sparse::Exchange& exchange, Channel& bundles) {
  const std::string_view way = shadow.ranks() == 1 ? "consensus" : way_of(shadow).name;
  if (way == "counts")
    return exchange.by_counts([&](std::span<const engine::sparse::Volume> out, std::span<engine::sparse::Volume> in) {
      static_assert(sizeof(engine::sparse::Volume) == 2 * sizeof(long));
      check(PMPI_Alltoall(out.data(), 2, MPI_LONG, in.data(), 2, MPI_LONG, shadow.comm()));
    });
  if (way == "crystal") {
    const Record& agreed = shadow.record();
    const settings::Router& wishes = settings_of_process().router;
    const Bytes beside = wishes.copies ? std::numeric_limits<Bytes>::max() : std::max<Bytes>(1, wishes.beside);
    return exchange.by_crystal({.ranks = shadow.ranks(), .radix = way_of(shadow).radix, .channels = agreed.channels},
                               {.segment = agreed.segment, .copies = wishes.copies}, beside, bundles);
  }
  Anybody anybody(shadow);
  exchange.by_consensus(anybody, engine::ranks_of_node() > engine::cores_of_node());
}

int exchange(const heddle_departures& departures, heddle_arrivals* arrivals, MPI_Datatype receive_type, MPI_Comm comm) {
  int inter = 0;
  int ranks = 0;
  if (const int error = PMPI_Comm_test_inter(comm, &inter); error != MPI_SUCCESS) return error;
  if (inter) return MPI_ERR_COMM;
  if (!arrivals || (arrivals->data && arrivals->room < 0)) return MPI_ERR_ARG;
  PMPI_Comm_size(comm, &ranks);
  Program program(*arrivals);
  if (const int error = program.read(departures, receive_type, ranks); error != MPI_SUCCESS) return error;
  ShadowComm* shadow = ShadowComm::for_exchange(comm);
  if (!shadow) return MPI_ERR_NO_MEM;
  program.over(shadow->comm());
  Channel direct(shadow->comm(), tags::sparse_direct);
  Channel bundles(shadow->comm(), tags::sparse_bundles);
  engine::sparse::Exchange exchange(shadow->me(), shadow->ranks(), program, direct);
  carry_out(*shadow, exchange, bundles);
  return program.fill(exchange.arrivals());
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
  } catch (const heddle::engine::Failed& failed) {
    result = failed.code;
  } catch (const std::bad_alloc&) {
    result = MPI_ERR_NO_MEM;
  } catch (const std::exception&) {
    result = MPI_ERR_INTERN;
  }
  if (result != MPI_SUCCESS) communicators::raise(comm, result);
  return result;
}
