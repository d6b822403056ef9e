// select/collective/decided.hpp: the decisions of ranks in a collective, in words that ranks can
// compare.
//
//   const DecidedText mine = text_of({"MPI_Alltoallv", choice}, 3);     // "MPI_Alltoallv (call 3) by crystal of radix 4"
//   disagreement(of_all_ranks)                                       // a sentence that names the ranks
#pragma once

#include <array>
#include <span>
#include <string>

#include "select/collective/algorithm_load.hpp"

namespace heddle::select {

struct Decided {
  const char* call;
  Candidate choice;  ///< Null algorithm: the MPI library carries out the call.
  bool in_place = false;
};

/// Ends with zeros, so that equal texts have equal bytes.
using DecidedText = std::array<char, 128>;

/// @param number  The number of the call on its communicator.
DecidedText text_of(const Decided& mine, long number) noexcept;

/// A sentence about the ranks that differ. Throws std::bad_alloc.
/// @param all  The texts of all ranks, in their order.
std::string disagreement(std::span<const DecidedText> all);

}  // namespace heddle::select
