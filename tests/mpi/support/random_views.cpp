#include "support/random_views.hpp"

namespace heddle::test {

std::string text(Count n) { return std::to_string(n); }
std::string list(const std::vector<Count>& items) {
  std::string all = "[";
  for (const Count item : items) all += (all.size() > 1 ? ", " : "") + text(item);
  return all + "]";
}

namespace {

/// Columns of a matrix, at least one for each rank.
void columns(Chooser& choose, Views& views, int ranks) {
  const Count rows = choose.between(1, 9);
  std::vector<Count> wide;
  Count sum = 0;
  for (int rank = 0; rank < ranks; ++rank) sum += wide.emplace_back(choose.between(1, 5));
  Count start = 0;
  const bool fortran = choose.upto(1) != 0;
  for (const Count own : wide) {
    views.tiles.push_back(layout::grammar::parse(fortran ? "subarray(" + list({sum, rows}) + ", " + list({own, rows}) + ", " +
                                                               list({start, 0}) + ", " + views.etype + ", order=F)"
                                                         : "subarray(" + list({rows, sum}) + ", " + list({rows, own}) + ", " +
                                                               list({0, start}) + ", " + views.etype + ")"));
    start += own;
  }
}

/// Cubes: the ranks divide the second and the third dimension.
void cubes(Chooser& choose, Views& views, int ranks) {
  const Count across = ranks % 2 == 0 ? 2 : 1, along = ranks / across;
  const Count depth = choose.between(1, 3), high = choose.between(1, 4), wide = choose.between(1, 4);
  for (Count rank = 0; rank < ranks; ++rank)
    views.tiles.push_back(
        layout::grammar::parse("subarray(" + list({depth, high * across, wide * along}) + ", " + list({depth, high, wide}) +
                               ", " + list({0, rank / along * high, rank % along * wide}) + ", " + views.etype + ")"));
}

/// Blocks dealt in turn.
void dealt(Chooser& choose, Views& views, int ranks) {
  const Count block = choose.between(1, 4), high = choose.between(1, 5);
  for (Count rank = 0; rank < ranks; ++rank)
    views.tiles.push_back(layout::grammar::parse("darray(" + text(ranks) + ", " + text(rank) + ", " +
                                                 list({high, 2 * block * ranks}) + ", [none, cyclic(" + text(block) + ")], " +
                                                 list({1, ranks}) + ", " + views.etype + ")"));
}

/// A stripe of each tile for each rank.
void stripes(Chooser& choose, Views& views, int ranks) {
  const Count block = choose.between(1, 6);
  for (Count rank = 0; rank < ranks; ++rank)
    views.tiles.push_back(layout::grammar::parse("resized(hindexed([" + text(block) + "], [" + text(rank * block * views.unit) +
                                                 "], " + views.etype + "), 0, " + text(ranks * block * views.unit) + ")"));
}

/// Each piece of a tile belongs to some rank. A rank may get a struct of two pieces' lists. Pieces
/// of a rank do not touch each other: MPICH 5.0.2 alone ends the job if they do
/// (ADIOI_Flatten_datatype).
void strewn(Chooser& choose, Views& views, int ranks) {
  std::vector<std::vector<Count>> lengths(static_cast<std::size_t>(ranks)), places(lengths);
  Count at = 0;
  std::size_t last = lengths.size();
  for (Count piece = 0; piece < 4 * ranks; ++piece) {
    const auto owner = static_cast<std::size_t>(piece < ranks ? piece : choose.upto(ranks - 1));
    const Count length = choose.between(1, 4);
    if (owner == last) {
      lengths[owner].back() += length;
    } else {
      lengths[owner].push_back(length);
      places[owner].push_back(at * views.unit);
    }
    last = owner;
    at += length;
  }
  for (std::size_t rank = 0; rank < lengths.size(); ++rank)
    views.tiles.push_back(layout::grammar::parse(
        "resized(" +
        (rank % 2 == 0 ? "hindexed(" + list(lengths[rank]) + ", " + list(places[rank]) + ", " + views.etype + ")"
                       : "struct(" + list(lengths[rank]) + ", " + list(places[rank]) + ", [" +
                             [&] {
                               std::string types = views.etype;
                               for (std::size_t i = 1; i < lengths[rank].size(); ++i) types += ", " + views.etype;
                               return types;
                             }() +
                             "])") +
        ", 0, " + text(at * views.unit) + ")"));
}

/// Vectors with gaps that nobody has. They may overlap.
void gaps(Chooser& choose, Views& views, int ranks) {
  views.whole = false;
  for (Count rank = 0; rank < ranks; ++rank) {
    const Count block = choose.between(1, 3), stride = block + choose.between(1, 2);
    const Count count = choose.between(1, 5);
    views.tiles.push_back(layout::grammar::parse("resized(hvector(" + text(count) + ", " + text(block) + ", " +
                                                 text(stride * views.unit) + ", " + views.etype + "), 0, " +
                                                 text(count * stride * views.unit) + ")"));
  }
}

}  // namespace

Views random_views(Chooser& choose, int ranks) {
  Views views;
  constexpr const char* etypes[] = {"int", "double", "char", "contiguous(3, int)"};
  constexpr Bytes units[] = {4, 8, 1, 12};
  const auto kind = static_cast<std::size_t>(choose.upto(3));
  views.etype = etypes[kind];
  views.unit = units[kind];
  views.displacement = choose.upto(1) ? choose.upto(300) : 0;
  constexpr decltype(&columns) makers[] = {columns, cubes, dealt, stripes, strewn, gaps};
  makers[choose.upto(5)](choose, views, ranks);
  return views;
}

}  // namespace heddle::test
