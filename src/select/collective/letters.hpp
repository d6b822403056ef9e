// select/collective/letters.hpp: how long a block may be to go to another rank of the node without a message
// (mpi/exchange/letters.hpp), which leaves nothing to be saved by bundles. May include: layout/bytes.hpp.
#pragma once

#include <algorithm>

#include "layout/bytes.hpp"

namespace heddle::select {

/// What a rank lends to those that read its letters, cut into a box for each: a line of the reader's, and two halves.
struct LetterBox {
  static constexpr layout::Bytes lent = 64 << 10;
  static constexpr layout::Bytes line = 64;
  static constexpr layout::Bytes head = 24;          ///< Of a letter.
  static constexpr layout::Bytes longest = 4 << 10;  ///< Longer ones gain less from not being messages.
  static constexpr layout::Bytes shortest = 256;     ///< If no more fits there are none.

  layout::Bytes half = 0;    ///< From one half to the other.
  layout::Bytes letter = 0;  ///< Bytes of the longest; 0: none.
};

/// The longest that goes into such a half; 0: none.
constexpr layout::Bytes letter_of(layout::Bytes half) noexcept {
  const layout::Bytes room = std::min(LetterBox::longest, half - LetterBox::head);
  return room < LetterBox::shortest ? 0 : room;
}

constexpr LetterBox letter_box(layout::Count readers) noexcept {
  if (readers < 1) return {};
  const layout::Bytes box = LetterBox::lent / readers / LetterBox::line * LetterBox::line;
  LetterBox found{.half = (box - LetterBox::line) / 2 / LetterBox::line * LetterBox::line};
  found.letter = letter_of(found.half);
  return found.letter > 0 ? found : LetterBox{};
}

}  // namespace heddle::select
