// layout/constructed.hpp: a layout from what a datatype was made of, as MPI_Type_get_contents tells it: a constructor, and its
// arguments in a row. May include: layout.hpp, signature.hpp.
//
//   Made made{.by = Constructor::vector, .numbers = {4, 2, 5}};          // MPI_Type_vector(4, 2, 5, old)
//   const Layout all = constructed(made, numerals, old);
#pragma once

#include <stdexcept>
#include <vector>

#include "layout/layout.hpp"
#include "layout/signature.hpp"

namespace heddle::layout {

/// Constructors of one old type (MPI-5.0 §5.1.13).
enum class Constructor {
  unknown,
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
};

/// MPI's tables put counts, lengths and strides into integers, addresses or large counts, depending on the constructor. Here
/// they always stand one after the other in `numbers`, in the order of the constructor's arguments.
struct Made {
  Constructor by = Constructor::unknown;
  bool large = false;  ///< By a _c constructor: then `integers` holds only what is an int there, too.
  std::vector<Count> integers{};
  std::vector<Count> numbers{};
};

/// What its numbers mean: each MPI library has its own.
struct Numerals {
  Count order_c, order_fortran;
  Count distribute_none, distribute_block, distribute_cyclic, default_argument;
};

/// A datatype whose bytes Heddle cannot tell, and why.
struct CannotDecode : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Throws CannotDecode, and what the constructors of layout.hpp throw.
Layout constructed(const Made& made, const Numerals& numerals, const Layout& old);

/// The members of a struct: {count, lengths ..., displacements ...}. Throws CannotDecode.
struct Members {
  std::span<const Count> lengths, displacements;

  explicit Members(const Made& made);
};

/// A datatype: where its bytes are, and of which basic types.
template <class Basic>
struct Decoded {
  Layout layout;
  Signature<Basic> signature;
};

/// Both, as above. Throws what that throws.
template <class Basic>
Decoded<Basic> constructed(const Made& made, const Numerals& numerals, const Decoded<Basic>& old) {
  Layout all = constructed(made, numerals, old.layout);
  const Count copies = old.layout.size() ? all.size() / old.layout.size() : 0;
  return {std::move(all), repeated(old.signature, copies)};
}

/// A struct of these members. Throws CannotDecode, and what structure() throws.
template <class Basic>
Decoded<Basic> structure(const Made& made, std::span<const Decoded<Basic>> olds) {
  const auto [lengths, displacements] = Members(made);
  if (olds.size() != lengths.size()) throw CannotDecode("the host tells too little of its contents");
  std::vector<Layout> members;
  members.reserve(olds.size());
  Signature<Basic> signature;
  for (std::size_t i = 0; i < olds.size(); ++i) {
    members.push_back(olds[i].layout);
    signature = then(signature, repeated(olds[i].signature, lengths[i]));
  }
  return {structure(lengths, displacements, members), signature};
}

}  // namespace heddle::layout
