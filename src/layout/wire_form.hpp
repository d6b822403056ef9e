// layout/wire_form.hpp: the form in which packed elements are handed to an MPI library: a number of
// elements of a basic type (signature.hpp gives the reason). wire.hpp describes how a layout itself
// travels.
//
//   const WireForm<MPI_Datatype> wire = wire_form(layout, signature, MPI_BYTE, pair_of);
//   wire.pack(layout, buffer, count, packed);
//   PMPI_Bcast(packed, count * wire.per, wire.element, ...);
#pragma once

#include "layout/layout.hpp"
#include "layout/pack.hpp"
#include "layout/signature.hpp"
#include "layout/transfer.hpp"
#include "layout/value_pair.hpp"

namespace heddle::layout {

/// `per` elements of a predefined type for each element of the datatype.
template <class Basic>
struct WireForm {
  Basic element{};
  Count per = 0;
  Bytes extent = 1;                   ///< Extent of a wire element.
  const Pair<Basic>* pair = nullptr;  ///< Not null: the wire form has the holes of a pair type, and packing is a transfer.
  Layout pair_layout{};               ///< Layout of a wire element, if `pair`.
  bool several_in_memory = false;     ///< Elements in memory are in wire form already, from the first byte on.
  bool one_in_memory = false;         ///< A single element is.

  /// True if `count` elements in memory are in wire form already, so that no copy is needed.
  [[nodiscard]] bool in_memory(Count count) const { return several_in_memory || (one_in_memory && count <= 1); }

  /// Packs elements of `form` in the program's memory into wire form; unpack() does the reverse.
  void pack(const Layout& form, const void* from, Count count, void* wire) const {
    if (pair)
      transfer(form, count, from, pair_layout, count * per, wire);
    else
      layout::pack(form, count, from, wire);
  }
  void unpack(const Layout& form, void* to, Count count, const void* wire) const {
    if (pair)
      transfer(pair_layout, count * per, wire, form, count, to);
    else
      layout::unpack(form, count, to, wire);
  }
};

/// @param byte  The element for signatures of no single basic type.
/// @param pair_of  The pair type of two basic types, or null.
template <class Basic, class PairOf>
WireForm<Basic> wire_form(const Layout& form, const Signature<Basic>& signature, Basic byte, PairOf pair_of) {
  const bool even = !signature.mixed && signature.elements > 0 && signature.elements % 2 == 0;
  if (const Pair<Basic>* two = even && !signature.uniform() ? pair_of(signature.first, signature.second) : nullptr) {
    WireForm<Basic> wire{two->pair, signature.elements / 2, two->extent, two, two->layout()};
    const Layout row = contiguous(wire.per, wire.pair_layout);
    wire.one_in_memory = same(form.root().node, row.root().node);
    wire.several_in_memory = wire.one_in_memory && form.extent() == row.extent();
    return wire;
  }
  WireForm<Basic> wire{byte, form.size()};
  if (signature.uniform()) wire = {signature.first, signature.elements, form.size() / signature.elements};
  wire.several_in_memory = form.dense();
  wire.one_in_memory = form.size() == 0 || form.node()->contiguous();
  return wire;
}

}  // namespace heddle::layout
