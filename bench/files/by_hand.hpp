// bench/files/by_hand.hpp: an access as a program would carry it out without datatypes. Loops pack
// the data, and MPI_Alltoallv exchanges them. Then each rank accesses one contiguous piece of the
// file.
//
//   ByHand by_hand{shapes, rank, has_view};
//   by_hand.write(file, memory);
#pragma once

#include <vector>

#include "files/file.hpp"
#include "files/shape.hpp"

namespace heddle::bench::files {

class ByHand {
 public:
  /// @param shapes of all ranks
  /// @param exchange false: each rank's bytes are its own row block, so that no exchange is needed
  ByHand(std::vector<Shape> shapes, int rank, bool exchange);

  void write(const File& file, const Word* memory);
  void read(const File& file, Word* memory);

 private:
  void pack(const Word* memory);
  void unpack(Word* memory) const;
  /// Calls `visit(place in the exchanged data, place in the row block, words)` for the rows of all
  /// ranks in the row block.
  template <class Visit>
  void rows_of_block(Visit visit) const;

  std::vector<Shape> shapes_;
  std::size_t rank_;
  bool exchange_;
  RowBlock block_;
  std::vector<Word> own_, exchanged_, piece_;  ///< This rank's data; the row block by ranks; the row block as in the file.
  std::vector<int> own_counts_, own_places_, block_counts_, block_places_;
};

}  // namespace heddle::bench::files
