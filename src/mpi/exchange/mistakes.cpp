// mpi/exchange/mistakes.cpp: the host is asked by a message to MPI_PROC_NULL, whose arguments it looks at as it does at a
// collective's: the error is its own.
#include "mpi/exchange/mistakes.hpp"
#include "mpi/communicators/known.hpp"
#include "mpi/process/traits.hpp"

#include "mpi/types/handles.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi::mistakes {
namespace {

Done asked(const void* address, int count, MPI_Datatype type, End end, MPI_Comm comm) {
  const int result = end == End::sent
                         ? PMPI_Send(address, count, type, MPI_PROC_NULL, 0, comm)
                         : PMPI_Recv(const_cast<void*>(address), count, type, MPI_PROC_NULL, 0, comm, MPI_STATUS_IGNORE);
  return result == MPI_SUCCESS ? Done() : Done(result);
}

/// Of a type that is neither predefined nor one that Heddle has seen committed. Neither the count nor the buffer is the
/// question.
Done about(MPI_Datatype type, End end, MPI_Comm comm) {
  static char somewhere;
  return asked(&somewhere, 1, type, end, comm);
}

Done negative(End end, MPI_Comm comm) {
  static char somewhere;
  return asked(&somewhere, -1, MPI_BYTE, end, comm);
}

/// Elements of `type` at address 0, where types of absolute addresses may begin.
Done at_bottom(MPI_Datatype type, End end, MPI_Comm comm) {
  return traits().looks_at_addresses ? asked(nullptr, 1, type, end, comm) : Done();
}

bool sound(MPI_Datatype type) noexcept { return known(type) || seen_predefined(type) || Derived(hold_any(type)); }

/// Whether types of no elements are looked at, too.
bool strict(End end, Form form, MPI_Datatype type, bool one_for_each) noexcept {
  if (!traits().looks_at_types_of_none) return !one_for_each;
  return !form.gathers || end == End::sent || type == MPI_DATATYPE_NULL;
}

Done not_whole(const VArgument& data, Form form, MPI_Comm comm) {
  const bool places_of_gather = traits().refuses_in_place_of_none && form.gathers && data.counts.array();
  return raised(places_of_gather ? MPI_ERR_BUFFER : MPI_ERR_ARG, comm);
}
Done not_whole(const WArgument& /*data*/, Form /*form*/, MPI_Comm comm) { return raised(MPI_ERR_ARG, comm); }

Done misplaced(bool any, MPI_Comm comm) {
  if (traits().refuses_in_place_of_none) return raised(MPI_ERR_ARG, comm);
  return any ? raised(MPI_ERR_BUFFER, comm) : Done();
}

}  // namespace

Done in(const Buffer& data, int blocks, End end, Form form, MPI_Comm comm) {
  const bool any = data.count > 0;
  if (data.count < 0) return negative(end, comm);
  if (data.address == MPI_IN_PLACE)
    if (const Done wrong = misplaced(any, comm)) return wrong;
  if (!sound(data.type) && (any || strict(end, form, data.type, form.neighbours)))
    if (const Done wrong = about(data.type, end, comm)) return wrong;
  return any && blocks > 0 && !data.address ? at_bottom(data.type, end, comm) : Done();
}

Done in(const VArgument& data, int blocks, End end, Form form, MPI_Comm comm) {
  if (blocks == 0) return {};
  if (!whole(data)) return not_whole(data, form, comm);
  bool any = false;
  bool bottom = false;
  for (int i = 0; i < blocks; ++i) {
    const Count count = data.counts[i];
    if (count < 0) return negative(end, comm);
    any |= count > 0;
    bottom |= count > 0 && !data.address && data.displacements[i] == 0;
  }
  if (data.address == MPI_IN_PLACE)
    if (const Done wrong = misplaced(any, comm)) return wrong;
  if (!sound(data.type) && (any || strict(end, form, data.type, false)))
    if (const Done wrong = about(data.type, end, comm)) return wrong;
  return bottom ? at_bottom(data.type, end, comm) : Done();
}

Done in(const WArgument& data, int blocks, End end, Form form, MPI_Comm comm) {
  if (blocks == 0) return {};
  if (!whole(data)) return not_whole(data, form, comm);
  bool any = false;
  bool last_sound = false;
  for (int i = 0; i < blocks; ++i) {
    const Count count = data.counts[i];
    const MPI_Datatype type = data.types[i];
    if (count < 0) return negative(end, comm);
    any |= count > 0;
    if (i == 0 || type != data.types[i - 1]) last_sound = sound(type);
    if (!last_sound && (count > 0 || strict(end, form, type, true)))
      if (const Done wrong = about(type, end, comm)) return wrong;
    if (count > 0 && !displaced(data.address, data.displacements[i]))
      if (const Done wrong = at_bottom(type, end, comm)) return wrong;
  }
  return data.address == MPI_IN_PLACE ? misplaced(any, comm) : Done();
}

bool aliased(const Buffer& send, const VArgument& receive, int me) noexcept {
  if (send.type != receive.type || send.count == 0 || send.address == MPI_BOTTOM || receive.counts[me] == 0) return false;
  MPI_Aint low = 0;
  MPI_Aint extent = 0;
  return PMPI_Type_get_extent(receive.type, &low, &extent) == MPI_SUCCESS &&
         send.address == displaced(receive.address, receive.displacements[me] * extent);
}

}  // namespace heddle::mpi::mistakes
