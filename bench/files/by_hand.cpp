// bench/files/by_hand.cpp: see by_hand.hpp.
#include "files/by_hand.hpp"

#include <numeric>
#include <utility>

namespace heddle::bench::files {
namespace {

std::vector<int> places_of(const std::vector<int>& counts) {
  std::vector<int> places(counts.size());
  std::exclusive_scan(counts.begin(), counts.end(), places.begin(), 0);
  return places;
}

}  // namespace

ByHand::ByHand(std::vector<Shape> shapes, int rank, bool exchange)
    : shapes_(std::move(shapes)),
      rank_(static_cast<std::size_t>(rank)),
      exchange_(exchange),
      block_(shapes_[rank_], rank, static_cast<int>(shapes_.size())) {
  const int ranks = static_cast<int>(shapes_.size());
  for (int other = 0; other < ranks; ++other) {
    const RowBlock theirs(shapes_[rank_], other, ranks);
    own_counts_.push_back(static_cast<int>(shapes_[rank_].words_within(theirs.first, theirs.last)));
    const Shape& shape = shapes_[static_cast<std::size_t>(other)];
    block_counts_.push_back(static_cast<int>(shape.words_within(block_.first, block_.last)));
  }
  own_places_ = places_of(own_counts_), block_places_ = places_of(block_counts_);
  own_.resize(static_cast<std::size_t>(shapes_[rank_].words()));
  if (exchange) exchanged_.resize(static_cast<std::size_t>(block_.length)), piece_ = exchanged_;
}

template <class Visit>
void ByHand::rows_of_block(Visit visit) const {
  long at = 0;
  for (const Shape& shape : shapes_)
    shape.rows(block_.first, block_.last, [&](long, long place, long words) {
      visit(at, place - block_.start, words);
      at += words;
    });
}

void ByHand::pack(const Word* memory) {
  Word* to = own_.data();
  shapes_[rank_].rows(0, shapes_[rank_].whole[0],
                      [&](long place, long, long words) { to = std::copy_n(memory + place, words, to); });
}

void ByHand::unpack(Word* memory) const {
  const Word* from = own_.data();
  shapes_[rank_].rows(0, shapes_[rank_].whole[0], [&](long place, long, long words) {
    std::copy_n(from, words, memory + place);
    from += words;
  });
}

void ByHand::write(const File& file, const Word* memory) {
  pack(memory);
  if (exchange_) {
    must(PMPI_Alltoallv(own_.data(), own_counts_.data(), own_places_.data(), MPI_DOUBLE, exchanged_.data(),
                        block_counts_.data(), block_places_.data(), MPI_DOUBLE, MPI_COMM_WORLD));
    rows_of_block([&](long from, long to, long words) {
      std::copy_n(&exchanged_[static_cast<std::size_t>(from)], words, &piece_[static_cast<std::size_t>(to)]);
    });
  }
  must(PMPI_File_write_at(file.flat(), block_.start * word_bytes, (exchange_ ? piece_ : own_).data(),
                          static_cast<int>(block_.length), MPI_DOUBLE, MPI_STATUS_IGNORE));
}

void ByHand::read(const File& file, Word* memory) {
  must(PMPI_File_read_at(file.flat(), block_.start * word_bytes, (exchange_ ? piece_ : own_).data(),
                         static_cast<int>(block_.length), MPI_DOUBLE, MPI_STATUS_IGNORE));
  if (exchange_) {
    rows_of_block([&](long to, long from, long words) {
      std::copy_n(&piece_[static_cast<std::size_t>(from)], words, &exchanged_[static_cast<std::size_t>(to)]);
    });
    must(PMPI_Alltoallv(exchanged_.data(), block_counts_.data(), block_places_.data(), MPI_DOUBLE, own_.data(),
                        own_counts_.data(), own_places_.data(), MPI_DOUBLE, MPI_COMM_WORLD));
  }
  unpack(memory);
}

}  // namespace heddle::bench::files
