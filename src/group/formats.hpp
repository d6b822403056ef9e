// group/formats.hpp: the table of formats, for `heddle algorithms`, `heddle explain --group`, and the encoder's choice.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

#include "group/group.hpp"

namespace heddle::group {

struct FormatEntry {
  Format format;
  std::string_view name;
  std::string_view description;
  std::string_view when;
  std::string_view bytes;  ///< As a formula.
  std::size_t heap;  ///< What a description on the heap costs beyond itself: who counts its users; 0 if it is in the object.
};

const std::array<FormatEntry, formats>& format_table();
inline const FormatEntry& entry(Format format) { return format_table()[static_cast<std::size_t>(format)]; }

/// What is known of a sequence of ranks once it has gone by.
struct Facts {
  std::int64_t size = 0;
  Rank low = 0, high = -1;
  bool increasing = true;
  std::int64_t ranges = 0;        ///< Maximal stretches of neighbours.
  std::span<const Piece> pieces;  ///< Empty: too many to be worth while.
};

/// What a format would take.
struct Offer {
  Format format;
  bool fits = false;
  std::size_t bytes = 0;  ///< Of the description.
  [[nodiscard]] std::size_t memory() const { return bytes + entry(format).heap; }
};

/// One for each format, in the order of the table.
std::array<Offer, formats> offers(const Facts& facts);
/// The smallest in memory; the quicker look-up among equals.
Format smallest(const std::array<Offer, formats>& offers);

}  // namespace heddle::group
