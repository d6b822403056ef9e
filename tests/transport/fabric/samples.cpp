#include "samples.hpp"

#include <algorithm>

namespace heddle::transport::fabric::testing {
namespace {

Sample some(std::mt19937& random) {
  for (;;) {
    layout::test::Choices choices;
    for (int i = 0; i < 60; ++i) choices.numbers.push_back(static_cast<std::uint32_t>(random()));
    Sample type = layout::test::random_type(choices, 3);
    if (type.layout.size() > 0 && type.layout.size() < 8192 && type.layout.true_extent() < 1 << 16 &&
        std::abs(type.layout.extent()) < 1 << 16)
      return type;
  }
}

bool overlaps(const Sample& type, Count count) {
  std::vector<layout::Segment> pieces;
  for (Count i = 0; i < count; ++i)
    for (const layout::Segment& piece : type.map) pieces.push_back({piece.offset + i * type.layout.extent(), piece.length});
  std::ranges::sort(pieces, {}, &layout::Segment::offset);
  for (std::size_t i = 1; i < pieces.size(); ++i)
    if (pieces[i].offset < pieces[i - 1].offset + pieces[i - 1].length) return true;
  return false;
}

Count elements(const Sample& type, Bytes bytes) {
  const Count count = (bytes + type.layout.size() - 1) / type.layout.size();
  // The memory for all elements is limited.
  const Bytes stride = std::max<Bytes>(1, std::abs(type.layout.extent()));
  return std::clamp<Count>(count, 1, std::max<Count>(1, (Bytes{8} << 20) / stride));
}

}  // namespace

Sized sendable(std::mt19937& random, Bytes wanted) {
  Sized sized{some(random)};
  sized.count = elements(sized.type, wanted);
  return sized;
}

Sized receivable(std::mt19937& random, Bytes total) {
  for (;;) {
    Sized sized = sendable(random, total);
    if (sized.count * sized.type.layout.size() >= total && !overlaps(sized.type, sized.count)) return sized;
  }
}

}  // namespace heddle::transport::fabric::testing
