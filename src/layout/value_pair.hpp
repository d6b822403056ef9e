// layout/value_pair.hpp: a struct of a value and an int, as C lays it out (MPI-5.0 §6.9.4). It may
// have a hole between or behind them, so that its packed form differs from memory.
//
//   const auto pair = pair_in_c<double>(MPI_DOUBLE_INT, MPI_DOUBLE, MPI_INT);     // names of basic types
//   pair.layout().extent();                                                       // 16
//   pair.signature().elements;                                                    // 2
#pragma once

#include <array>
#include <cstddef>

#include "layout/layout.hpp"
#include "layout/signature.hpp"

namespace heddle::layout {

/// A value, and an index `index_at` bytes behind its start.
inline Layout value_and_index(const Layout& value, const Layout& index, Bytes index_at) {
  const std::array<Count, 2> lengths = {1, 1};
  const std::array<Bytes, 2> displacements = {0, index_at};
  const std::array<Layout, 2> members = {value, index};
  return structure(lengths, displacements, members);
}

template <class Basic>
struct Pair {
  Basic pair, value, index;
  Bytes value_size, index_at, extent;

  [[nodiscard]] Layout layout() const {
    return resized(value_and_index(basic(value_size), basic(sizeof(int)), index_at), 0, extent);
  }
  [[nodiscard]] Signature<Basic> signature() const { return then(one(value, value_size), one(index, sizeof(int))); }
};

template <class Value, class Basic>
Pair<Basic> pair_in_c(Basic pair, Basic value, Basic index) {
  struct InMemory {
    Value value;
    int index;
  };
  return {pair, value, index, sizeof(Value), offsetof(InMemory, index), sizeof(InMemory)};
}

}  // namespace heddle::layout
