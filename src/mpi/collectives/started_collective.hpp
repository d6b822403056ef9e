// mpi/collectives/started_collective.hpp: a collective that the host carries out on packed data
// (engine/collective/staged_collective.hpp). Its operation keeps the staging buffers of both sides.
// It lives until the call returns, until the program completes the request, or as long as a
// persistent request.
//
//   using Op = StagedOf<Buffer, VArgument>;
//   return carry_out<Op>(
//       "gather", form, comm,
//       [&](Op& op) { return op.prepare(...); },                     // false: the host gets the call as the program made it
//       hand);                                                       // calls it: call_forms.hpp
//
// If a trial has left a collective to the host, it gets the program's own types, provided that it
// packs those as well as Heddle:
//
//   if (timed.is_librarys() && all_packed_by_host(send, ranks) && all_packed_by_host(receive, ranks)) return {};
#pragma once

#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "engine/collective/staged_collective.hpp"
#include "mpi/collectives/call_forms.hpp"
#include "mpi/collectives/host_sides.hpp"
#include "mpi/collectives/peers.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/shared_copy.hpp"
#include "mpi/requests/completion.hpp"

namespace heddle::mpi {

/// The operation for arguments of these types.
template <class Sent, class Received>
using StagedOf = engine::Staged<SideOf<Sent>, SideOf<Received>>;

template <class Op>
class StartedCollective final : public Pending {
 public:
  StartedCollective(const char* call, MPI_Comm /*comm*/) noexcept : op(call) {}
  int finish(MPI_Status& /*status*/, int error) noexcept override {
    if (error == MPI_SUCCESS) op.store();
    return error;
  }
  Op op;
  SharedCopy copy;  ///< The host may begin sends until it is over.
};

/// Its request is the host's own persistent one, made with the staging buffers.
template <class Op>
class KeptCollective final : public Persistent {
 public:
  KeptCollective(const char* call, MPI_Comm comm) : op(call), comm_(comm) {}
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return comm_; }
  /// MPICH 5.0.2 says nothing of a block that is truncated, so the staging buffer must never hold
  /// bytes of other messages. The program may have set its error handler since the last start.
  int start() override {
    op.keeps = std::exchange(first_, false) || comm_.gone() || communicators::hides_errors(comm_.handle());
    op.load();
    copy.begin(op.packs_much());
    const int error = PMPI_Start(&record.handle);
    record.active = error == MPI_SUCCESS;
    return error;
  }
  int finish(MPI_Status& /*status*/, int error) noexcept override {
    copy.end();
    if (error == MPI_SUCCESS) op.store();
    return error;
  }
  Op op;
  SharedCopy copy;

 private:
  communicators::Hold comm_;
  bool first_ = true;
};

/// Nothing: not for Heddle.
/// @param call  Its name in the report.
/// @param hand  Gives both sides to the host.
///
/// The host may fail and still return MPI_SUCCESS (communicators::hides_errors()). Then there is no
/// request, and the blocks that are stored are what the program had there.
template <class Op, class Form, class Prepare, class Hand>
Done carry_out(const char* call, const Form& form, MPI_Comm comm, Prepare prepare, Hand hand) {
  if constexpr (Form::blocking) {
    Op op(call);
    if (!prepare(op)) return {};
    op.settle_numbers();
    op.keeps = communicators::hides_errors(comm);
    op.load();
    SharedCopy copy;
    copy.begin(op.packs_much());
    const Done done = hand(op);
    if (done == MPI_SUCCESS) op.store();
    return done;
  } else {
    using Operation = std::conditional_t<Form::persistent, KeptCollective<Op>, StartedCollective<Op>>;
    if (!form.request || !requests::table.room()) return {};
    std::unique_ptr<Operation> operation(new (std::nothrow) Operation(call, comm));
    if (!operation || !prepare(operation->op)) return {};
    operation->op.settle_numbers();
    if constexpr (!Form::persistent) {
      operation->op.keeps = communicators::hides_errors(comm);
      operation->op.load();
      operation->copy.begin(operation->op.packs_much());
    }
    const MPI_Request before = std::exchange(*form.request, MPI_REQUEST_NULL);
    const Done done = hand(operation->op);
    if (done != MPI_SUCCESS || *form.request == MPI_REQUEST_NULL) {
      *form.request = before;
      return done;
    }
    if constexpr (Form::persistent)
      requests::track(*form.request, operation.release());
    else
      requests::track_unless_done(*form.request, operation.release());
    return done;
  }
}

/// True: while it sends, the host packs `count` elements of a datatype as well as Heddle does.
inline bool host_packs_as_well(MPI_Datatype type, Count count) noexcept {
  Entry* const entry = table.find(type);
  const Entry* const decoded = entry ? entry->ready(type) : nullptr;
  return !entry || (decoded && !decoded->pays_to_pack(count));
}

// True: the host packs all blocks of an argument as well as Heddle does. Nobody may have checked
// the argument before. False: its arrays are missing, or the host does not pack while it sends.
inline bool all_packed_by_host(const Buffer& data, int blocks) noexcept {
  return traits().packs_while_it_sends && host_packs_as_well(data.type, data.count * blocks);
}
inline bool all_packed_by_host(const VArgument& data, int blocks) noexcept {
  if (!traits().packs_while_it_sends || !whole(data)) return false;
  for (int i = 0; i < blocks; ++i)
    if (!host_packs_as_well(data.type, data.counts[i])) return false;
  return true;
}
inline bool all_packed_by_host(const WArgument& data, int blocks) noexcept {
  if (!traits().packs_while_it_sends || !whole(data)) return false;
  for (int i = 0; i < blocks; ++i)
    if (data.counts[i] > 0 && !host_packs_as_well(data.types[i], data.counts[i])) return false;
  return true;
}

}  // namespace heddle::mpi
