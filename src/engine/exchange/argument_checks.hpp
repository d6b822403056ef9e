// engine/exchange/argument_checks.hpp: finds the mistakes in a collective's arguments that a
// library refuses before it sends any message.
//
//   if (const Done refused = argument_checks::in(send, ranks, End::sent, {.neighbours = false, .gathers = true}, library)) ...
//
//                                       MPICH 5.0.2                                Open MPI 5.0.11
//   a type that is null, or not         of no elements, too; but not blocks        of no elements, too; but not
//   committed                           of the w procedures, nor MPI_Neighbor_     those not committed that are
//                                       alltoall and _allgather                    received in gathers
//   negative counts                     yes                                        yes
//   elements at MPI_BOTTOM              yes                                        no
//   MPI_IN_PLACE where it may not be    if there are elements                      yes
//   the very elements that are sent     yes, but between neighbours                no
//   are received
//
// The template parameter Library answers questions with an error that has been raised, or nothing
// (Done):
//
//   traits()                            looks_at_addresses, refuses_in_place_of_none, looks_at_types_of_none
//   null(type), sound(type)             sound: predefined, or committed
//   in_place(address)                   MPI_IN_PLACE
//   about(type, end)                    the error of such a type, for any count and buffer
//   negative(end), at_bottom(type, end) the errors of a negative count, and of elements at address 0
//   raised(wrong)                       raises it
#pragma once

#include "engine/base/arguments.hpp"

namespace heddle::engine::argument_checks {

/// The form of a collective. Hosts look more closely at some forms.
struct Form {
  bool neighbours;
  bool gathers;
};

enum class End { sent, received };

/// MPI_ERR_ARG, MPI_ERR_BUFFER.
enum class Wrong { argument, buffer };

/// True: types of no elements are looked at, too.
template <class Library, class Type>
bool strict(End end, Form form, Type type, bool one_for_each, const Library& library) noexcept {
  if (!library.traits().looks_at_types_of_none) return !one_for_each;
  return !form.gathers || end == End::sent || library.null(type);
}

template <class Library>
auto misplaced(bool any, const Library& library) {
  using Done = decltype(library.raised(Wrong::argument));
  if (library.traits().refuses_in_place_of_none) return library.raised(Wrong::argument);
  return any ? library.raised(Wrong::buffer) : Done();
}

/// Looks at elements at address 0, where types of absolute addresses may begin.
template <class Library, class Type>
auto at_bottom(Type type, End end, const Library& library) {
  using Done = decltype(library.at_bottom(type, end));
  return library.traits().looks_at_addresses ? library.at_bottom(type, end) : Done();
}

// Look at one side, of so many blocks.

template <class Library, class Type>
auto in(const Buffer<Type>& data, int blocks, End end, Form form, const Library& library) {
  using Done = decltype(library.negative(end));
  const bool any = data.count > 0;
  if (data.count < 0) return library.negative(end);
  if (library.in_place(data.address))
    if (const Done wrong = misplaced(any, library)) return wrong;
  if (!library.sound(data.type) && (any || strict(end, form, data.type, form.neighbours, library)))
    if (const Done wrong = library.about(data.type, end)) return wrong;
  return any && blocks > 0 && !data.address ? at_bottom(data.type, end, library) : Done();
}

template <class Library, class Type>
auto in(const VArgument<Type>& data, int blocks, End end, Form form, const Library& library) {
  using Done = decltype(library.negative(end));
  if (blocks == 0) return Done();
  if (!whole(data)) {
    const bool places_of_gather = library.traits().refuses_in_place_of_none && form.gathers && data.counts.array();
    return library.raised(places_of_gather ? Wrong::buffer : Wrong::argument);
  }
  bool any = false;
  bool bottom = false;
  for (int i = 0; i < blocks; ++i) {
    const layout::Count count = data.counts[i];
    if (count < 0) return library.negative(end);
    any |= count > 0;
    bottom |= count > 0 && !data.address && data.displacements[i] == 0;
  }
  if (library.in_place(data.address))
    if (const Done wrong = misplaced(any, library)) return wrong;
  if (!library.sound(data.type) && (any || strict(end, form, data.type, false, library)))
    if (const Done wrong = library.about(data.type, end)) return wrong;
  return bottom ? at_bottom(data.type, end, library) : Done();
}

template <class Library, class Type>
auto in(const WArgument<Type>& data, int blocks, End end, Form form, const Library& library) {
  using Done = decltype(library.negative(end));
  if (blocks == 0) return Done();
  if (!whole(data)) return library.raised(Wrong::argument);
  bool any = false;
  bool last_sound = false;
  for (int i = 0; i < blocks; ++i) {
    const layout::Count count = data.counts[i];
    const Type type = data.types[i];
    if (count < 0) return library.negative(end);
    any |= count > 0;
    if (i == 0 || type != data.types[i - 1]) last_sound = library.sound(type);
    if (!last_sound && (count > 0 || strict(end, form, type, true, library)))
      if (const Done wrong = library.about(type, end)) return wrong;
    if (count > 0 && !displaced(data.address, data.displacements[i]))
      if (const Done wrong = at_bottom(type, end, library)) return wrong;
  }
  return library.in_place(data.address) ? misplaced(any, library) : Done();
}

}  // namespace heddle::engine::argument_checks
