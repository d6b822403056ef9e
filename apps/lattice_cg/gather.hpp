// lattice_cg/gather.hpp: the halo exchange: each site's neighbour in a direction, as MILC's start_gather and wait_gather.
//
//   gathers.start(v, d, even);       // what even sites beside mine hold
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

/// How a face is sent: packed by hand through a list of its sites (MILC's way), or said in a datatype. Received in place,
/// contiguous, by either.
enum class Way { manual, datatypes };

class Gathers {
 public:
  Gathers(const Lattice& lattice, const Types& types, Way chosen);

  /// At most one from each direction at a time.
  template <class T>
  void start(Field<T>& field, Direction d, Parity parity) {
    if (lattice_.split(d)) start(reinterpret_cast<std::byte*>(field.data()), element_of<T>(), d, parity);
  }
  void wait(Direction d) {
    if (lattice_.split(d)) finish(d);
  }

  Way way;

  /// Seconds spent, where asked for: reading the clock takes a part of a short message.
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
