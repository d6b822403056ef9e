// group/compose.cpp: pieces of pieces, and the gaps between them.
#include "group/compose.hpp"

#include <algorithm>
#include <optional>

namespace heddle::group {
namespace {

using Wide = std::int64_t;

/// The pieces of a parent, by rank.
class Parent {
 public:
  explicit Parent(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
    Rank end = 0;
    for (const Piece& piece : pieces_) ends_.push_back(end += piece.size);
  }

  /// Adds the members at places selection[0], selection[1], ...
  void select(const Piece& selection, Encoder& to) {
    const Piece::Hull hull = selection.hull();
    const std::size_t at = piece_of(hull.low);
    if (pieces_[at].dims == 1 && hull.high < ends_[at]) {
      const Rank step = pieces_[at].step();
      return to.add(selection.mapped(static_cast<Rank>(pieces_[at].first - Wide{start(at)} * step), step));
    }
    selection.rows([&](const Piece& row) { run(row, to); });
  }

 private:
  [[nodiscard]] std::size_t piece_of(Rank rank) const {
    return static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), rank) - ends_.begin());
  }
  [[nodiscard]] Rank start(std::size_t piece) const { return piece > 0 ? ends_[piece - 1] : 0; }

  /// Adds piece by piece, as far as each reaches.
  void run(const Piece& row, Encoder& to) {
    const Rank by = row.step();
    Wide rank = row.first;
    for (Rank left = row.size; left > 0;) {
      const std::size_t at = piece_of(static_cast<Rank>(rank));
      const Wide room = by > 0 ? (ends_[at] - 1 - rank) / by : (rank - start(at)) / -Wide{by};
      const auto count = static_cast<Rank>(std::min<Wide>(room + 1, left));
      found_.clear();
      pieces_[at].strided(static_cast<Rank>(rank - start(at)), by, count, found_);
      for (const Piece& piece : found_) to.add(piece);
      rank += Wide{count} * by;
      left -= count;
    }
  }

  std::vector<Piece> pieces_, found_;
  std::vector<Rank> ends_;
};

/// All runs of the selection, increasing and in order, if no two runs interleave.
std::optional<std::vector<Piece>> in_order(const Group& selection) {
  std::vector<Piece> pieces, runs;
  if (!selection.pieces(pieces)) return {};
  for (const Piece& piece : pieces) {
    piece.rows([&](const Piece& row) { runs.push_back(row.step() < 0 ? row.reversed() : row); });
  }
  std::sort(runs.begin(), runs.end(), [](const Piece& a, const Piece& b) { return a.first < b.first; });
  for (std::size_t i = 1; i < runs.size(); ++i)
    if (runs[i - 1].last() >= runs[i].first) return {};
  return runs;
}

/// The rest of 0 ... size - 1 without these runs.
Group between(const std::vector<Piece>& runs, Rank size) {
  Encoder encoder;
  Rank done = 0;
  for (const Piece& run : runs) {
    encoder.add(Piece::run(done, 1, run.first - done));
    done = run.last() + 1;
    if (run.size == 1 || run.step() == 1) continue;
    const Rank gap = run.step() - 1;
    if (gap == 1) {
      encoder.add(Piece::run(run.first + 1, 2, run.size - 1));
    } else {
      Piece gaps = Piece::run(run.first + 1, 1, gap * (run.size - 1));
      gaps.dims = 2;
      gaps.dim = {{{gap, 1}, {0, run.step()}}};
      encoder.add(gaps);
    }
  }
  encoder.add(Piece::run(done, 1, size - done));
  return encoder.finish();
}

}  // namespace

void append(Encoder& encoder, const Group& group) {
  std::vector<Piece> pieces;
  if (group.pieces(pieces)) {
    for (const Piece& piece : pieces) encoder.add(piece);
  } else {
    group.each([&](Rank rank) { encoder.add(rank); });
  }
}

Group select(const Group& parent, const Group& selection) {
  if (parent.format() == Format::identity || selection.empty()) return selection;
  if (selection.format() == Format::identity && selection.size() == parent.size()) return parent;
  Encoder encoder;
  std::vector<Piece> pieces, selected;
  if (parent.pieces(pieces) && selection.pieces(selected)) {
    Parent from(std::move(pieces));
    for (const Piece& piece : selected) from.select(piece, encoder);
  } else {
    selection.each([&](Rank rank) { encoder.add(parent.world_rank(rank)); });
  }
  return encoder.finish();
}

Group exclude(const Group& parent, const Group& selection) {
  if (selection.empty()) return parent;
  if (const auto runs = in_order(selection)) return select(parent, between(*runs, parent.size()));
  std::vector<bool> out(static_cast<std::size_t>(parent.size()));
  selection.each([&](Rank rank) { out[static_cast<std::size_t>(rank)] = true; });
  Encoder encoder;
  Rank rank = 0;
  parent.each([&](Rank world) {
    if (!out[static_cast<std::size_t>(rank++)]) encoder.add(world);
  });
  return encoder.finish();
}

}  // namespace heddle::group
