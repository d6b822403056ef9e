// group/formats.cpp: the uses and the costs of formats.
#include "group/formats.hpp"

#include <algorithm>

namespace heddle::group {
namespace {

constexpr std::size_t users = 24;  // the control block of a shared_ptr
constexpr std::size_t list = 80;   // a control block, a vector, and room for the index of the way back

constexpr std::array<FormatEntry, formats> table = {{
    {Format::identity, "identity", "ranks 0 to n - 1 in order", "MPI_COMM_WORLD, its duplicates, its first ranks", "4", 0},
    {Format::stride, "stride", "every k-th rank, forwards or backwards", "rows and columns of process grids, odd ranks", "12",
     0},
    {Format::list, "list", "rank by rank", "neither order nor pattern", "4 n", list},
    {Format::ranges, "ranges", "stretches of neighbouring ranks, in any order", "a few ranks left out, some nodes of many",
     "8 a range; 1/2 more for an index above 32, 4 more if not in order", users},
    {Format::grid, "grid", "strides within strides, up to four",
     "planes and bricks of Cartesian topologies, all but every k-th rank", "16 a dimension", users},
    {Format::chain, "chain", "strides and grids one behind the other",
     "merged inter-communicators, unions, all but a line of a Cartesian topology", "20 a stride, 20 + 16 a further dimension",
     users},
    {Format::bitmap, "bitmap", "a bit for each rank from the lowest to the highest, with counts",
     "irregular sets in increasing order", "span / 7 in lines of 64, and 1/32 of that", users},
}};

}  // namespace

const std::array<FormatEntry, formats>& format_table() { return table; }

std::array<Offer, formats> offers(const Facts& facts) {
  std::array<Offer, formats> all;
  for (const FormatEntry& one : table) all[static_cast<std::size_t>(one.format)].format = one.format;
  const auto offer = [&](Format format, bool fits, std::size_t bytes) {
    all[static_cast<std::size_t>(format)] = {format, fits, bytes};
  };
  const std::span<const Piece> pieces = facts.pieces;
  const bool one = facts.size == 0 || pieces.size() == 1;
  const bool line = facts.size == 0 || (one && pieces[0].dims == 1);
  const bool whole = facts.size == 0 || (line && pieces[0].first == 0 && (pieces[0].step() == 1 || facts.size == 1));
  offer(Format::identity, whole, Identity::bytes());
  offer(Format::stride, line && facts.size > 0, Stride::bytes());
  offer(Format::list, true, List::bytes(facts.size));
  offer(Format::ranges, facts.size > 0, Ranges::bytes(facts.ranges, facts.increasing));
  offer(Format::grid, one && !line, one && !line ? Grid::bytes(pieces[0].dims) : 0);
  offer(Format::chain, pieces.size() > 1, Chain::bytes(pieces));
  const bool bits = facts.increasing && facts.size > 0;
  offer(Format::bitmap, bits, bits ? Bitmap::bytes(std::int64_t{facts.high} - facts.low + 1, facts.size) : 0);
  return all;
}

Format smallest(const std::array<Offer, formats>& offers) {
  const Offer* best = nullptr;
  for (const Offer& one : offers)  // sorted by look-up cost
    if (one.fits && (!best || one.memory() < best->memory())) best = &one;
  return best->format;
}

}  // namespace heddle::group
