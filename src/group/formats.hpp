// group/formats.hpp: the table of formats, for `heddle algorithms`, `heddle explain --group`, and
// the encoder's choice.
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
  std::string_view bytes;  ///< Bytes of a group, as a formula.
  std::size_t heap;  ///< Further bytes of a description on the heap, to count its users. 0: the description is in the object.
};

const std::array<FormatEntry, formats>& format_table();
inline const FormatEntry& entry(Format format) { return format_table()[static_cast<std::size_t>(format)]; }

/// Facts about a sequence of ranks.
struct Facts {
  std::int64_t size = 0;
  Rank low = 0, high = -1;
  bool increasing = true;
  std::int64_t ranges = 0;        ///< Maximal stretches of neighbours.
  std::span<const Piece> pieces;  ///< Empty: too many to be useful.
};

/// The bytes of a format.
struct Offer {
  Format format;
  bool fits = false;
  std::size_t bytes = 0;  ///< Bytes of the description.
  [[nodiscard]] std::size_t memory() const { return bytes + entry(format).heap; }
};

/// An offer for each format, in the order of the table.
std::array<Offer, formats> offers(const Facts& facts);
/// The smallest offer in memory; among equals the quickest look-up.
Format smallest(const std::array<Offer, formats>& offers);

}  // namespace heddle::group
