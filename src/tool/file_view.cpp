// tool/file_view.cpp: a collective access to a file, as all ranks would plan it: the ranks that
// access long pieces, and the data that each of them exchanges (engine/file/plan.hpp).
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "engine/file/plan.hpp"
#include "layout/cursor.hpp"
#include "layout/grammar.hpp"
#include "select/choose_file_access.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using engine::files::Accessed;
using engine::files::FileRange;
using engine::files::Plan;
using engine::files::Round;
using engine::files::View;
using layout::Bytes;

struct OwnedPiece {
  Bytes offset;
  Bytes length;
  int rank;
};

/// The first pieces of the file, in order, with the ranks that access them.
std::vector<OwnedPiece> first_pieces(const std::vector<layout::Layout>& tiles, layout::Count count, std::size_t most) {
  std::vector<OwnedPiece> all;
  for (std::size_t rank = 0; rank < tiles.size(); ++rank) {
    layout::Cursor cursor(tiles[rank], count);
    for (std::size_t i = 0; i < most && !cursor.done(); ++i) {
      const layout::Segment piece = cursor.next();
      all.push_back({piece.offset, piece.length, static_cast<int>(rank)});
    }
  }
  std::stable_sort(all.begin(), all.end(), [](const OwnedPiece& a, const OwnedPiece& b) { return a.offset < b.offset; });
  all.resize(std::min(all.size(), most));
  return all;
}

/// An owner, and the bytes that it exchanges with each rank.
Json owner(int rank, const Plan& plan, int ranks) {
  Bytes low = 0, high = 0;
  std::size_t rounds = 0;
  std::vector<Bytes> of_ranks(static_cast<std::size_t>(ranks));
  for (const Round& round : plan.rounds()) {
    if (round.piece.bytes() <= 0) continue;
    if (rounds++ == 0) low = round.piece.low;
    high = round.piece.high;
    for (const engine::files::Part& part : round.owned) of_ranks[static_cast<std::size_t>(part.rank)] += part.bytes;
  }
  return {{"rank", rank}, {"low", low}, {"high", high}, {"rounds", rounds}, {"bytes", of_ranks}};
}

}  // namespace

Json explain_file_view(const FileViewOptions& options) {
  std::vector<layout::Layout> tiles;
  std::vector<View> views;
  std::vector<Accessed> accesses;
  select::FileAccess facts{.least = options.hints.all ? 0 : select::least_file_access};
  for (const std::string& description : options.views) {
    const layout::Layout tile = layout::grammar::parse(description)->layout;
    if (!View::fits(tile))
      throw std::invalid_argument(fmt::format(
          "{} is no filetype that Heddle carries: its bytes must be in order of their offsets, not overlap, and lie between 0 "
          "and the extent",
          description));
    tiles.push_back(tile);
    views.emplace_back(tile, 0);
    accesses.push_back({0, layout::times(options.count, tile.size())});
    if (!views.back().reaches(0, accesses.back().length)) throw std::overflow_error("the view has too many bytes");
    facts.holes = facts.holes || !views.back().one_piece(0, accesses.back().length);
    facts.bytes += accesses.back().length;
  }
  const auto ranks = static_cast<int>(views.size());
  const FileRange range = engine::files::range_of(accesses, views);
  facts.range = range.bytes();
  Json answer = {{"ranks", ranks}, {"bytes", facts.bytes}, {"low", range.low}, {"high", range.high}};
  for (const bool writes : {true, false}) {
    facts.writes = writes;
    answer[writes ? "write" : "read"] = {{"carried", carries(facts)}, {"why", why(facts)}};
  }
  answer["pieces"] = Json::array();
  for (const auto& [offset, length, rank] : first_pieces(tiles, options.count, options.pieces))
    answer["pieces"].push_back({{"offset", offset}, {"length", length}, {"rank", rank}});
  answer["owners"] = Json::array();
  if (facts.range <= 0) return answer;
  const engine::files::Cut cut = cut_of(options.hints, facts.bytes, facts.range, ranks);
  answer["piece"] = cut.piece;
  for (int rank = 0; rank < ranks; ++rank) {
    const Json row = owner(rank, Plan(accesses, views, cut, rank), ranks);
    if (row["rounds"] != 0) answer["owners"].push_back(row);
  }
  return answer;
}

}  // namespace heddle::tool
