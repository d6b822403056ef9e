#include "layout/kernel/record.hpp"

#include <algorithm>

namespace heddle::layout::kernel {

Record::Record(std::vector<Piece> pieces) : pieces_(std::move(pieces)) {
  if (pieces_.empty()) return;
  low_ = high_ = pieces_.front().offset;
  for (const Piece& piece : pieces_) {
    low_ = std::min<Bytes>(low_, piece.offset);
    high_ = std::max<Bytes>(high_, Bytes{piece.offset} + piece.length);
    size_ += piece.length;
  }
}

}  // namespace heddle::layout::kernel
