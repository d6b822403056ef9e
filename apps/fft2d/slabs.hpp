// fft2d/slabs.hpp: the rows of each rank. n rows over P ranks: the first n mod P ranks own one
// more.
#pragma once

namespace fft2d {

struct Slab {
  int first;
  int count;
};

inline Slab slab(int n, int ranks, int rank) {
  const int least = n / ranks, more = n % ranks;
  return {rank * least + (rank < more ? rank : more), least + (rank < more ? 1 : 0)};
}

}  // namespace fft2d
