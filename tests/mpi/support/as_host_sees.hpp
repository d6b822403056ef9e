// The standard leaves some bounds to the library, so a test must not take its own idea for the
// truth:
// - how far the extent is rounded up for alignment (MPI-5.0 §5.1.6). MPICH 5.0.2 rounds for C's own
//   types only: struct(1 uint16_t @ 0, 1 uint16_t @ 5) has extent 7 there, not 8. Open MPI 5.0.11
//   rounds in every constructor, not only in structs: hvector(2, 1, -5, int) has extent 12 there,
//   not 9;
// - the place of a level that describes no bytes: indexed_block(0, [1], char) has lower bound 1 in
//   MPICH;
// - bounds that resized, subarray or darray have set for a member of a struct (lb_marker and
//   ub_marker, MPI-5.0 §5.1.6). MPICH 5.0.2 forgets them: struct(1 char @ 0,
//   1 resized(char, 0, 1) @ 1) has lower bound 0 there, not 1.
//
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
