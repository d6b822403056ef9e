// tool/group.cpp: all facts about a group: the bytes of each format, and the reason for the choice.
#include <fmt/format.h>

#include "group/compose.hpp"
#include "group/formats.hpp"
#include "group/text.hpp"
#include "tool/commands.hpp"

namespace heddle::tool {
namespace {

using namespace group;

/// The reason why a format cannot keep a group.
std::string unfit(Format format) {
  switch (format) {
    case Format::identity:
      return "the ranks are not 0 to n - 1 in order";
    case Format::stride:
      return "the ranks are not one progression";
    case Format::grid:
      return "the ranks are not one nest of strides";
    case Format::chain:
      return "one piece is enough, or too many are needed";
    case Format::bitmap:
      return "the ranks do not increase";
    case Format::list:
    case Format::ranges:
      return "the group has no members";
  }
  return {};
}

}  // namespace

Json explain_group(const GroupOptions& options) {
  const Group group = parse(options.description);
  Encoder encoder;
  append(encoder, group);
  const auto offers = encoder.offers();
  const Format kept = smallest(offers);

  Json formats = Json::array();
  const Offer* next = nullptr;  // the smallest other format
  for (const Offer& offer : offers) {
    const FormatEntry& about = entry(offer.format);
    Json row = {{"name", about.name}, {"description", about.description}, {"fits", offer.fits}, {"kept", offer.format == kept}};
    row["bytes"] = offer.fits ? Json(offer.bytes) : Json(nullptr);
    row["memory"] = offer.fits ? Json(offer.memory()) : Json(nullptr);
    row["formula"] = about.bytes;
    row["why_not"] = offer.fits ? std::string() : unfit(offer.format);
    formats.push_back(row);
    if (offer.fits && offer.format != kept && (!next || offer.memory() < next->memory())) next = &offer;
  }
  const Offer& chosen = offers[static_cast<std::size_t>(kept)];
  std::string why = fmt::format("{}: {} bytes, {} in memory", entry(kept).name, chosen.bytes, chosen.memory());
  if (!next) {
    why += "; no other format fits";
  } else if (next->memory() == chosen.memory()) {
    why += fmt::format("; {} is as small, but slower to look up", entry(next->format).name);
  } else {
    why += fmt::format("; the next best, {}, takes {}", entry(next->format).name, next->memory());
  }
  Json members = Json::array();
  for (Rank rank = 0; rank < group.size() && members.size() < options.members; ++rank)
    members.push_back(group.world_rank(rank));
  return {{"input", options.description},
          {"size", group.size()},
          {"members", members},
          {"format", entry(kept).name},
          {"why", why},
          {"bytes", chosen.bytes},
          {"with_object", group.footprint()},
          {"pointers", 8 * static_cast<std::size_t>(group.size())},
          {"formats", formats}};
}

}  // namespace heddle::tool
