// mpi/sparse/call.cpp: heddle_exchange of heddle/exchange.h, as programs under Heddle get it.
#include <exception>
#include <new>

#include "engine/base/give_way.hpp"
#include "engine/collective/sparse_program.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/communicators/host_group.hpp"
#include "mpi/exchange/shadow_comm.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/element.hpp"

#define HEDDLE_INTERPOSER 1
#pragma GCC visibility push(default)
#include "heddle/exchange.h"
#pragma GCC visibility pop

namespace heddle::mpi::sparse {
namespace {

void check(int code) {
  if (code != MPI_SUCCESS) throw engine::Failed{code};
}

/// The program's list of arrivals. The functions of heddle/exchange.h fill it in.
struct Arrivals {
  heddle_arrivals& list;
  [[nodiscard]] int make_lists(MPI_Count messages) const { return heddle_arrivals_list(&list, messages); }
  [[nodiscard]] int lay_out(const Element::Measures& one) const {
    const heddle_element shape{one.size, one.extent, one.first, one.span};
    return heddle_arrivals_lay_out(&list, &shape);
  }
};
using Program = engine::sparse::GivenProgram<MPI_Datatype, Element, Arrivals, MPI_Comm>;

/// `bytes` bytes as a count and a datatype. More than 1 GiB are one element of a type of its own.
class Wire {
 public:
  explicit Wire(Bytes bytes);
  ~Wire() {
    if (type_ != MPI_BYTE) PMPI_Type_free(&type_);
  }
  Wire(const Wire&) = delete;
  Wire& operator=(const Wire&) = delete;
  [[nodiscard]] int count() const { return count_; }
  [[nodiscard]] MPI_Datatype type() const { return type_; }

 private:
  static constexpr Bytes piece = Bytes{1} << 30;
  int count_;
  MPI_Datatype type_ = MPI_BYTE;
};

Wire::Wire(Bytes bytes) : count_(bytes <= piece ? static_cast<int>(bytes) : 1) {
  if (bytes <= piece) return;
  int lengths[] = {static_cast<int>(bytes / piece), static_cast<int>(bytes % piece)};
  MPI_Aint places[] = {0, static_cast<MPI_Aint>(bytes - bytes % piece)};
  MPI_Datatype types[] = {MPI_DATATYPE_NULL, MPI_BYTE};
  check(PMPI_Type_contiguous(static_cast<int>(piece), MPI_BYTE, &types[0]));
  check(PMPI_Type_create_struct(2, lengths, places, types, &type_));
  check(PMPI_Type_commit(&type_));
  check(PMPI_Type_free(&types[0]));
}

/// A message of this many bytes or more is received while Heddle looks for others.
constexpr Bytes long_one = 16 << 10;

/// Messages from any rank, on a shadow communicator.
class Anybody final : public engine::sparse::Anybody {
 public:
  explicit Anybody(ShadowComm& shadow) noexcept
      : comm_(shadow.comm()), programs_(shadow.programs()), tag_(shadow.consensus_tag()) {}

  void send(engine::Rank to, const std::byte* at, Bytes bytes) override;
  bool all_received() override;
  std::optional<Found> find() override;
  void receive(std::byte* to, Bytes bytes) override;
  void finish_receives() override;
  void begin_barrier() override;
  bool barrier_is_over() override;

 private:
  MPI_Comm comm_, programs_;
  int tag_;
  MPI_Message found_ = MPI_MESSAGE_NULL;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  std::vector<MPI_Request> sends_, receives_;
};

/// The sends are synchronous.
void Anybody::send(engine::Rank to, const std::byte* at, Bytes bytes) {
  const Wire wire(bytes);
  sends_.push_back(MPI_REQUEST_NULL);
  check(PMPI_Issend(at, wire.count(), wire.type(), to, tag_, comm_, &sends_.back()));
}

bool Anybody::all_received() {
  int all = 0;
  check(PMPI_Testall(static_cast<int>(sends_.size()), sends_.data(), &all, MPI_STATUSES_IGNORE));
  return all != 0;
}

std::optional<Anybody::Found> Anybody::find() {
  int there = 0;
  MPI_Status status;
  MPI_Count bytes = 0;
  check(PMPI_Improbe(MPI_ANY_SOURCE, tag_, comm_, &there, &found_, &status));
  if (!there) return {};
  check(PMPI_Get_elements_x(&status, MPI_BYTE, &bytes));
  return Found{status.MPI_SOURCE, bytes};
}

void Anybody::receive(std::byte* to, Bytes bytes) {
  const Wire wire(bytes);
  if (bytes < long_one) return check(PMPI_Mrecv(to, wire.count(), wire.type(), &found_, MPI_STATUS_IGNORE));
  receives_.push_back(MPI_REQUEST_NULL);
  check(PMPI_Imrecv(to, wire.count(), wire.type(), &found_, &receives_.back()));
}

void Anybody::finish_receives() {
  check(PMPI_Waitall(static_cast<int>(receives_.size()), receives_.data(), MPI_STATUSES_IGNORE));
}

void Anybody::begin_barrier() { check(PMPI_Ibarrier(programs_, &barrier_)); }

bool Anybody::barrier_is_over() {
  int over = 0;
  check(PMPI_Test(&barrier_, &over, MPI_STATUS_IGNORE));
  return over != 0;
}

void carry_out(ShadowComm& shadow, engine::sparse::Exchange& exchange, Channel& bundles) {
  const std::string_view choice = shadow.ranks() == 1 ? "consensus" : shadow.sparse_choice().name;
  if (choice == "counts")
    return exchange.by_counts([&](std::span<const engine::sparse::Volume> out, std::span<engine::sparse::Volume> in) {
      static_assert(sizeof(engine::sparse::Volume) == 2 * sizeof(long));
      check(PMPI_Alltoall(out.data(), 2, MPI_LONG, in.data(), 2, MPI_LONG, shadow.programs()));
    });
  if (choice == "crystal") {
    const Record& agreed = shadow.record();
    const settings::Router& wishes = settings_of_process().router;
    return exchange.by_crystal({.ranks = shadow.ranks(), .radix = shadow.sparse_choice().radix, .channels = agreed.channels},
                               {.segment = agreed.segment, .copies = wishes.copies}, wishes.straight_from(), bundles);
  }
  Anybody anybody(shadow);
  exchange.by_consensus(anybody, engine::ranks_of_node() > engine::cores_of_node());
}

int exchange(const heddle_departures& departures, heddle_arrivals* arrivals, MPI_Datatype receive_type, MPI_Comm comm) {
  const communicators::Peers peers(comm);
  if (!peers.known || peers.inter) return MPI_ERR_COMM;
  if (!arrivals || (arrivals->data && arrivals->room < 0)) return MPI_ERR_ARG;
  const auto& [data, messages, to, counts, places, type, types] = departures;
  Program program({*arrivals}, {.truncated = MPI_ERR_TRUNCATE, .unknown = MPI_ERR_OTHER});
  if (const int error = program.read({data, messages, to, counts, places, type, types}, receive_type,
                                     {.ranks = peers.ranks, .nobody = MPI_PROC_NULL},
                                     {.argument = MPI_ERR_ARG, .rank = MPI_ERR_RANK, .count = MPI_ERR_COUNT});
      error != MPI_SUCCESS)
    return error;
  ShadowComm* shadow = ShadowComm::for_exchange(comm);
  if (!shadow) return MPI_ERR_NO_MEM;
  program.over(shadow->comm());
  Channel direct(shadow->comm(), shadow->tag(tags::sparse_direct));
  Channel bundles(shadow->comm(), shadow->tag(tags::sparse_bundles));
  engine::sparse::Exchange exchange(shadow->me(), shadow->ranks(), program, direct);
  try {
    carry_out(*shadow, exchange, bundles);
  } catch (...) {
    shadow->spoil();
    throw;
  }
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
  return raise_new(result, comm);
}
