// layout/constructed.hpp: makes the layout of a datatype from its contents as MPI_Type_get_contents
// tells them: a constructor, and its arguments in a row.
//
//   Made made{.by = Constructor::vector, .numbers = {4, 2, 5}};          // MPI_Type_vector(4, 2, 5, old)
//   const Layout all = constructed(made, numerals, old);
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "layout/layout.hpp"
#include "layout/signature.hpp"
#include "layout/value_pair.hpp"

namespace heddle::layout {

/// MPI-5.0 §5.1.13.
enum class Constructor {
  unknown,
  // Of one old type:
  dup,
  contiguous,
  vector,
  hvector,
  indexed,
  hindexed,
  indexed_block,
  hindexed_block,
  resized,
  subarray,
  darray,
  // Of several:
  structure,    ///< {count, lengths ..., displacements ...}
  value_index,  ///< MPI_Type_get_value_index: a value, and an index at the end of the type. {true extent}
};

/// A constructor and its arguments. MPI's tables put counts, lengths and strides into integers,
/// addresses or large counts, depending on the constructor. Here they all stand in `numbers`, in
/// the order of the constructor's arguments.
struct Made {
  Constructor by = Constructor::unknown;
  bool large = false;  ///< Made by a _c constructor. Then `integers` holds only arguments that are int there, too.
  std::vector<Count> integers{};
  std::vector<Count> numbers{};
};

/// Converts the rows that MPI_Type_get_contents, or its _c form, fills. The _c form fills large
/// counts if a _c constructor made the type. It fills the same rows as the plain form for other
/// types.
/// @param addresses  MPI_Aint. @param counts  MPI_Count.
template <class Address, class Large>
Made made(Constructor by, std::span<const int> integers, std::span<const Address> addresses, std::span<const Large> counts) {
  Made made{.by = by, .large = !counts.empty(), .integers = {integers.begin(), integers.end()}};
  if (made.large) {
    made.numbers.assign(counts.begin(), counts.end());
  } else {
    made.numbers = made.integers;
    made.numbers.insert(made.numbers.end(), addresses.begin(), addresses.end());
  }
  return made;
}

/// The library's values of MPI_ORDER_C and other constants. Each MPI library has its own.
struct Numerals {
  Count order_c, order_fortran;
  Count distribute_none, distribute_block, distribute_cyclic, default_argument;
};

/// The reason why Heddle cannot find a datatype's bytes.
struct CannotDecode : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The layout by a constructor of one old type. Throws CannotDecode and the exceptions of
/// layout.hpp.
Layout constructed(const Made& made, const Numerals& numerals, const Layout& old);

/// The members of a struct: {count, lengths ..., displacements ...}. Throws CannotDecode.
struct Members {
  std::span<const Count> lengths, displacements;

  explicit Members(const Made& made);
};

/// A datatype: the places of its bytes, and their basic types.
template <class Basic>
struct Decoded {
  Layout layout;
  Signature<Basic> signature;
};

/// The datatype by any constructor. Throws the exceptions of constructed() and structure().
template <class Basic>
Decoded<Basic> decoded(const Made& made, const Numerals& numerals, std::span<const Decoded<Basic>* const> olds) {
  const auto expect = [&](std::size_t types) {
    if (olds.size() != types) throw CannotDecode("the host tells too little of its contents");
  };
  if (made.by == Constructor::structure) {
    const auto [lengths, displacements] = Members(made);
    expect(lengths.size());
    std::vector<const Layout*> members;
    members.reserve(olds.size());
    Signature<Basic> signature;
    for (std::size_t i = 0; i < olds.size(); ++i) {
      members.push_back(&olds[i]->layout);
      signature = then(signature, repeated(olds[i]->signature, lengths[i]));
    }
    return {structure(lengths, displacements, members), signature};
  }
  if (made.by == Constructor::value_index) {
    expect(2);
    const Decoded<Basic>&value = *olds[0], &index = *olds[1];
    return {value_and_index(value.layout, index.layout, made.numbers.at(0) - index.layout.size()),
            then(value.signature, index.signature)};
  }
  expect(1);
  const Decoded<Basic>& old = *olds[0];
  Layout all = constructed(made, numerals, old.layout);
  const Count copies = old.layout.size() ? all.size() / old.layout.size() : 0;
  return {std::move(all), repeated(old.signature, copies)};
}

}  // namespace heddle::layout
