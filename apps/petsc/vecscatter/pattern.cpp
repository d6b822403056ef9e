// vecscatter/pattern.cpp: see pattern.hpp.
#include "pattern.hpp"

#include <numeric>

namespace vecscatter {

Pattern::Pattern(Kind kind, int ranks, int elements) : kind_(kind), ranks_(ranks), elements_(elements) {
  if (kind != Kind::mixed) return;
  factor_ = static_cast<Index>(0.6180339887 * static_cast<double>(size())) | 1;
  while (std::gcd(factor_, size()) != 1) factor_ += 2;
}

Pattern::Index Pattern::place(Index g) const {
  const Index rank = g / elements_, at = g % elements_;
  switch (kind_) {
    case Kind::sides:
      return (rank + (at % 2 == 0 ? 1 : ranks_ - 1)) % ranks_ * elements_ + at;
    case Kind::transpose:
      return g % ranks_ * elements_ + g / ranks_;
    default:
      return g * factor_ % size();
  }
}

Pattern::Lists Pattern::sent(int me) const {
  Lists lists(static_cast<std::size_t>(ranks_));
  for (int at = 0; at < elements_; ++at)
    lists[static_cast<std::size_t>(place(Index{me} * elements_ + at) / elements_)].push_back(at);
  return lists;
}

Pattern::Lists Pattern::received(int me) const {
  Lists lists(static_cast<std::size_t>(ranks_));
  for (Index g = 0; g < size(); ++g) {
    const Index to = place(g);
    if (to / elements_ == me) lists[static_cast<std::size_t>(g / elements_)].push_back(static_cast<int>(to % elements_));
  }
  return lists;
}

}  // namespace vecscatter
