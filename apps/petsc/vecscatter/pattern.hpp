// vecscatter/pattern.hpp: where each element of the first vector goes in the second. One to one; no MPI, no PETSc.
//
//   sides     every other element to the same place of the rank ahead, the others to the rank behind: two partners, as on a
//   grid transpose element g to g/P of rank g mod P: a piece for everybody, with stride mixed     places far apart, in no
//   order: a bit for everybody
//
//   Pattern pattern(Kind::sides, ranks, 4096);
//   pattern.place(g);                   // of the second vector
//   pattern.sent(r); pattern.received(r);  // by peer: my places, in the order in which they travel
#pragma once

#include <cstdint>
#include <vector>

namespace vecscatter {

enum class Kind { sides, transpose, mixed };

class Pattern {
 public:
  Pattern(Kind kind, int ranks, int elements);  ///< `elements` of a rank.

  using Index = std::int64_t;
  [[nodiscard]] Index size() const { return Index{ranks_} * elements_; }
  [[nodiscard]] Index place(Index g) const;

  using Lists = std::vector<std::vector<int>>;  // by peer: places in my part
  [[nodiscard]] Lists sent(int me) const;
  [[nodiscard]] Lists received(int me) const;

 private:
  Kind kind_;
  int ranks_, elements_;
  Index factor_ = 1;  // of the mixed pattern; prime to the size
};

}  // namespace vecscatter
