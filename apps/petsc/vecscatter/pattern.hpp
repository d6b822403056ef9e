// vecscatter/pattern.hpp: the place of each element of the first vector in the second. The map is
// one-to-one.
//
//   sides       every other element goes to the same place of the rank ahead, the others to the rank
//               behind. A rank has two partners, as on a grid
//   transpose   element g goes to place g/P of rank g mod P. A rank sends a strided piece to each rank
//   mixed       elements go to places far apart, in no order. A rank sends some elements to each rank
//
//   Pattern pattern(Kind::sides, ranks, 4096);
//   pattern.place(g);                      // the place in the second vector
//   pattern.sent(r); pattern.received(r);  // for each peer: the places in rank r's part, in the order of the message
#pragma once

#include <cstdint>
#include <vector>

namespace vecscatter {

enum class Kind { sides, transpose, mixed };

class Pattern {
 public:
  Pattern(Kind kind, int ranks, int elements);  ///< Each rank has `elements`.

  using Index = std::int64_t;
  [[nodiscard]] Index size() const { return Index{ranks_} * elements_; }
  [[nodiscard]] Index place(Index g) const;

  using Lists = std::vector<std::vector<int>>;  // for each peer: places in a rank's part
  [[nodiscard]] Lists sent(int me) const;
  [[nodiscard]] Lists received(int me) const;

 private:
  Kind kind_;
  int ranks_, elements_;
  Index factor_ = 1;  // factor of the mixed pattern; coprime to the size
};

}  // namespace vecscatter
