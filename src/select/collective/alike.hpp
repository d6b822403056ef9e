// select/collective/alike.hpp: what ranks have decided in a collective, in words that they can compare. May include: way.hpp.
//
//   const DecidedText mine = text_of({"MPI_Alltoallv", way}, 3);     // "MPI_Alltoallv (call 3) by crystal of radix 4"
//   disagreement(of_all_ranks)                                       // a sentence that names the ranks
#pragma once

#include <array>
#include <span>
#include <string>

#include "select/collective/way.hpp"

namespace heddle::select {

struct Decided {
  const char* call;
  Way way;  ///< Null algorithm: it is left to the MPI library.
  bool in_place = false;
};

/// Its end is zeros: equal bytes are equal texts.
using DecidedText = std::array<char, 128>;

/// @param number  Of the call among the communicator's.
DecidedText text_of(const Decided& mine, long number) noexcept;

/// Of all ranks, in their order. Throws std::bad_alloc.
std::string disagreement(std::span<const DecidedText> all);

}  // namespace heddle::select
