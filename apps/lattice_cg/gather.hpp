// lattice_cg/gather.hpp: the halo exchange. It fetches each site's neighbour in a direction, like
// MILC's start_gather and wait_gather.
//
//   gathers.start(v, d, even);       // fetches the even sites beside my sites
//   ... work on something else ...
//   gathers.wait(d);
//   v[lattice.neighbour(d, x)]
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <vector>

#include "lattice.hpp"
#include "types.hpp"

namespace lattice {

/// How to send a face: packed by a loop over a list of its sites (as MILC does), or by a datatype.
/// Both receive in place, contiguous.
enum class Way { manual, datatypes };

class Gathers {
 public:
  Gathers(const Lattice& lattice, const Types& types, Way chosen);

  /// At most one gather from each direction may be active.
  template <class T>
  void start(Field<T>& field, Direction d, Parity parity) {
    if (lattice_.split(d)) start(reinterpret_cast<std::byte*>(field.data()), element_of<T>(), d, parity);
  }
  void wait(Direction d) {
    if (lattice_.split(d)) finish(d);
  }

  Way way;

  /// Seconds spent. Null: do not measure, because reading the clock takes a part of the time of a
  /// short message.
  struct Spent {
    double packing = 0, starting = 0, waiting = 0;
  };
  Spent* spent = nullptr;

 private:
  void start(std::byte* field, Element element, Direction d, Parity parity);
  void finish(Direction d);
  const std::byte* pack(const std::byte* field, std::size_t bytes, Direction d, Parity parity);

  const Lattice& lattice_;
  const Types& types_;
  std::array<std::array<std::vector<int>, 2>, directions> faces_;
  std::array<std::vector<std::byte>, directions> packed_;
  std::array<std::array<MPI_Request, 2>, directions> requests_;
};

}  // namespace lattice
