// The standard leaves some bounds to the library, so a test must not take its own idea for the
// truth:
//   - how far the extent is rounded up for alignment (MPI-5.0 §5.1.6): MPICH 5.0.2 rounds for C's own types only (in MPICH
//     struct(1 uint16_t @ 0, 1 uint16_t @ 5) has extent 7, not 8), Open MPI 5.0.11 rounds every constructor, not only structs
//     (hvector(2, 1, -5, int) has extent 12 there, not 9);
//   - where a level lies that describes no bytes (indexed_block(0, [1], char) has lower bound 1 in MPICH);
//   - MPICH 5.0.2 forgets in a struct that the bounds of a member were set by resized, subarray or darray (lb_marker and
//     ub_marker, MPI-5.0 §5.1.6): struct(1 char @ 0, 1 resized(char, 0, 1) @ 1) has lower bound 0 there, not 1.
// as_host_sees() puts resized(...) with the host's bounds around every level that differs for one
// of these reasons. Any other difference is a failure.
#pragma once

#include <string>

#include "layout/grammar.hpp"
#include "support/host.hpp"

namespace heddle::test {

struct HostView {
  layout::grammar::TypePtr type;
  bool differs = false;     ///< A level is placed differently than layout/ says.
  std::string unexplained;  ///< A difference that must not occur.
};

HostView as_host_sees(const layout::grammar::TypePtr& type);

}  // namespace heddle::test
