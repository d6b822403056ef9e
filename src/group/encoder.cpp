// group/encoder.cpp: fills runs and nests, and decides when bits or a list would be smaller.
#include "group/encoder.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <optional>
#include <stdexcept>
#include <string>

namespace heddle::group {
namespace {

using Wide = std::int64_t;

bool fits_rank(Wide value) { return std::abs(value) <= std::numeric_limits<Rank>::max(); }

/// A second row makes a nest of a run. The first may be the rest of a row: then the nest begins
/// within it.
bool second_row(Piece& first, const Piece& row) {
  if (first.size == 1 && row.size == 1) return false;
  const Rank step = first.size > 1 ? first.step() : row.step();
  if ((row.size > 1 && row.step() != step) || row.size < first.size) return false;
  const Wide start = Wide{first.last()} - Wide{row.size - 1} * step;  // the beginning of the whole row
  const Wide apart = row.first - start;
  if (!fits_rank(start) || !fits_rank(apart) || apart == 0) return false;
  first.first = static_cast<Rank>(start);
  first.skip = row.size - first.size;
  first.size += row.size;
  first.dim[0] = {row.size, step};
  first.dim[1] = {0, static_cast<Rank>(apart)};
  first.dims = 2;
  return true;
}

/// Adds a row if the nest expects it, or if one more dimension makes it expected. A short row is
/// the last.
bool next_row(Piece& nest, const Piece& row) {
  const Rank length = nest.dim[0].count;
  const Wide places = Wide{nest.skip} + nest.size;
  if (row.size > length || (row.size > 1 && row.step() != nest.step()) || places % length != 0) return false;
  if (row.first == nest[nest.size]) {
    nest.size += row.size;
    return true;
  }
  const Wide inner = nest.inner(), blocks = places / inner, apart = Wide{row.first} - nest.first;
  if (nest.dims == Piece::most_dims || row.size != length || places % inner != 0 || blocks < 2 || !fits_rank(apart) ||
      apart == 0) {
    return false;
  }
  nest.dim[nest.dims - 1].count = static_cast<Rank>(blocks);
  nest.dim[nest.dims++] = {0, static_cast<Rank>(apart)};
  nest.size += row.size;
  return true;
}

/// A nest after a run that is the end of a row before its first.
bool first_row(Piece& run, const Piece& nest) {
  if (nest.skip != 0 || run.size > nest.dim[0].count || (run.size > 1 && run.step() != nest.step())) return false;
  const Wide start = Wide{run.last()} - Wide{nest.dim[0].count - 1} * nest.step();
  // The row before the first is where the next-to-innermost dimension has one step less: with two
  // dimensions, a place of the nest.
  if (nest.dims != 2 || nest.first - start != nest.dim[1].step || !fits_rank(start)) return false;
  Piece whole = nest;
  whole.first = static_cast<Rank>(start);
  whole.skip = nest.dim[0].count - run.size;
  whole.size += run.size;
  run = whole;
  return true;
}

/// A nest that continues another nest of the same kind.
bool same_nest(Piece& nest, const Piece& more) {
  if (nest.dims != more.dims || nest.dim != more.dim) return false;
  if ((Wide{nest.skip} + nest.size) % nest.inner() != more.skip || nest[nest.size] != more[0]) return false;
  nest.size += more.size;
  return true;
}

bool extend(Piece& nest, const Piece& more) {
  if (more.dims > 1) return nest.dims == 1 ? first_row(nest, more) : same_nest(nest, more);
  return nest.dims == 1 ? second_row(nest, more) : next_row(nest, more);
}

}  // namespace

void Encoder::add(Rank rank) {
  if (rank < 0 || rank >= most_ranks) {
    throw std::invalid_argument("rank " + std::to_string(rank) + " is none of 0 to " + std::to_string(most_ranks - 1));
  }
  if (size_ == 0) low_ = rank;
  ranges_ += size_ == 0 || rank != last_ + 1 ? 1 : 0;
  increasing_ = increasing_ && (size_ == 0 || rank > last_);
  low_ = std::min(low_, rank);
  high_ = std::max(high_, rank);
  last_ = rank;
  ++size_;
  if (raw_ != Raw::no) return keep(rank);

  Piece& run = run_;
  if (run.size == 0) {
    run = Piece::run(rank, 1, 1);
  } else if (run.size == 1 && rank != run.first) {
    run = Piece::run(run.first, rank - run.first, 2);
  } else if (run.size > 1 && rank == run.first + Wide{run.size} * run.step()) {
    ++run.size;
  } else if (const Rank before = run.last();
             run.size == 2 && rank != before && std::abs(rank - before) < std::abs(run.step())) {
    place(Piece::run(run.first, 1, 1));  // the middle of three belongs to its nearer neighbour
    run = Piece::run(before, rank - before, 2);
  } else {
    end_run();
    run = Piece::run(rank, 1, 1);
  }
  if (heavy_) give_up();
}

void Encoder::add(const Piece& piece) {
  if (const Piece plain = piece.plain(); plain.dims != piece.dims || plain.skip != piece.skip) return add(plain);
  if (piece.size == 0) return;
  if (piece.size == 1 || raw_ != Raw::no) return piece.each([this](Rank rank) { add(rank); });
  const Rank first = piece[0];
  const Piece::Hull hull = piece.hull();
  if (size_ == 0) low_ = hull.low;
  ranges_ += piece.ranges() - (size_ > 0 && first == last_ + 1 ? 1 : 0);
  increasing_ = increasing_ && piece.increasing() && (size_ == 0 || first > last_);
  low_ = std::min(low_, hull.low);
  high_ = std::max(high_, hull.high);
  last_ = piece.last();
  size_ += piece.size;

  if (piece.dims > 1) {
    end_run();
    place(piece);
  } else if (run_.size > 0 && first == run_.first + Wide{run_.size} * piece.step() &&
             (run_.size == 1 || run_.step() == piece.step())) {
    run_ = Piece::run(run_.first, piece.step(), run_.size + piece.size);
  } else {
    end_run();
    run_ = piece;
  }
  if (heavy_) give_up();
}

void Encoder::end_run() {
  if (run_.size > 0) place(run_);
  run_.size = 0;
}

void Encoder::place(const Piece& piece) {
  if (nest_.size == 0) {
    nest_ = piece;
  } else if (!extend(nest_, piece)) {
    pieces_.push_back(nest_.plain());
    nest_ = piece;
    Wide raw = Wide{sizeof(Rank)} * size_;
    if (increasing_) raw = std::min(raw, (Wide{high_} - low_) / 8);
    heavy_ = Wide{sizeof(Piece)} * static_cast<Wide>(pieces_.size()) > 384 + 2 * raw;
  }
}

void Encoder::close() {
  end_run();
  if (nest_.size > 0) pieces_.push_back(nest_.plain());
  nest_.size = 0;
}

void Encoder::give_up() {
  close();
  const std::vector<Piece> before = std::move(pieces_);
  pieces_ = {};
  raw_ = increasing_ ? Raw::bits : Raw::list;
  origin_ = low_ / 64;
  for (const Piece& piece : before) piece.each([this](Rank rank) { keep(rank); });
}

void Encoder::keep(Rank rank) {
  if (raw_ == Raw::bits) {
    const auto word = static_cast<std::size_t>(rank / 64 - origin_);
    if (increasing_ && word * sizeof(std::uint64_t) <= 4096 + 2 * sizeof(Rank) * static_cast<std::size_t>(size_)) {
      if (word >= bits_.size()) bits_.resize(word + 1);
      bits_[word] |= std::uint64_t{1} << (rank % 64);
      return;
    }
    to_list();
  }
  list_.push_back(rank);
}

void Encoder::to_list() {
  each([this](Rank rank) { list_.push_back(rank); });
  bits_ = {};
  raw_ = Raw::list;
}

template <class Take>
void Encoder::each(Take take) const {
  switch (raw_) {
    case Raw::no:
      for (const Piece& piece : pieces_) piece.each(take);
      return;
    case Raw::list:
      for (const Rank rank : list_) take(rank);
      return;
    case Raw::bits:
      for (std::size_t w = 0; w < bits_.size(); ++w) {
        for (std::uint64_t rest = bits_[w]; rest != 0; rest &= rest - 1) {
          take(static_cast<Rank>(64 * (origin_ + static_cast<Wide>(w)) + __builtin_ctzll(rest)));
        }
      }
  }
}

std::array<Offer, formats> Encoder::offers() {
  if (raw_ == Raw::no) close();
  return group::offers({size_, low_, high_, increasing_, ranges_, pieces_});
}

std::size_t Encoder::memory() const {
  return pieces_.capacity() * sizeof(Piece) + bits_.capacity() * sizeof(std::uint64_t) + list_.capacity() * sizeof(Rank);
}

Group Encoder::finish() { return finish(smallest(offers())); }

Group Encoder::finish(Format format) {
  if (!offers()[static_cast<std::size_t>(format)].fits) {
    throw std::invalid_argument("these ranks cannot be kept as " + std::string(entry(format).name));
  }
  Group made = build(format);
  *this = {};
  return made;
}

Group Encoder::build(Format format) const {
  const auto size = static_cast<Rank>(size_);
  switch (format) {
    case Format::identity:
      return {size, Identity{}};
    case Format::stride:
      return {size, Stride{pieces_[0].first, pieces_[0].step()}};
    case Format::grid:
      return {size, Grid{pieces_[0]}};
    case Format::chain:
      return {size, Chain{pieces_}};
    case Format::list: {
      std::vector<Rank> ranks;
      ranks.reserve(static_cast<std::size_t>(size_));
      each([&](Rank rank) { ranks.push_back(rank); });
      return {size, List{std::move(ranks)}};
    }
    case Format::bitmap: {
      Bitmap::Builder builder(low_, high_, size);
      each([&](Rank rank) { builder.add(rank); });
      return {size, builder.finish()};
    }
    case Format::ranges:
      break;
  }
  Ranges::Builder builder(static_cast<Rank>(ranges_), increasing_);
  Rank first = 0, end = 0;  // the stretch so far
  const auto stretch = [&](Rank from, Rank count) {
    if (end > first && from == end) {
      end += count;
      return;
    }
    if (end > first) builder.add(first, end - first);
    first = from;
    end = from + count;
  };
  if (raw_ == Raw::no) {
    for (const Piece& piece : pieces_) {
      piece.rows([&](const Piece& row) {
        if (row.step() == 1) return stretch(row.first, row.size);
        row.each([&](Rank rank) { stretch(rank, 1); });
      });
    }
  } else {
    each([&](Rank rank) { stretch(rank, 1); });
  }
  if (end > first) builder.add(first, end - first);
  return {size, builder.finish()};
}

bool distinct(const Group& group) {
  std::vector<Piece> pieces;
  if (group.pieces(pieces)) {
    std::vector<Piece::Hull> hulls;
    bool sure = true;
    for (const Piece& piece : pieces) {
      sure = sure && piece.nested();
      hulls.push_back(piece.hull());
    }
    std::sort(hulls.begin(), hulls.end(), [](const Piece::Hull& a, const Piece::Hull& b) { return a.low < b.low; });
    for (std::size_t i = 1; i < hulls.size(); ++i) sure = sure && hulls[i - 1].high < hulls[i].low;
    if (sure) return true;
  } else if (group.format() == Format::bitmap) {
    return true;
  }
  Rank low = std::numeric_limits<Rank>::max(), high = 0;
  group.each([&](Rank rank) {
    low = std::min(low, rank);
    high = std::max(high, rank);
  });
  std::vector<bool> seen(static_cast<std::size_t>(high) - static_cast<std::size_t>(low) + 1);
  bool once = true;
  group.each([&](Rank rank) {
    auto bit = seen[static_cast<std::size_t>(rank - low)];
    once = once && !bit;
    bit = true;
  });
  return once;
}

}  // namespace heddle::group
