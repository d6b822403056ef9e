// select/collective/sparse_way.hpp: the way of a communicator's sparse exchanges. It is the same on
// all ranks, even if their environments differ.
//
//   const SparseWay way = sparse_way(record, topology.where);      // chosen once, as no rank knows all partners
//   if (way.name == "crystal") ...
#pragma once

#include <algorithm>
#include <string_view>

#include "select/collective/decide.hpp"
#include "select/collective/exchanged_facts.hpp"

namespace heddle::select {

struct SparseWay {
  std::string_view name;  ///< A name in schedule::exchange().
  int radix = 2;
};

inline SparseWay sparse_way(const Record& record, const Where& where) {
  const Way chosen = choose_exchange(typical_exchange(where));
  return {.name = record.exchange == settings::Exchange::automatic ? chosen.algorithm->name : name(record.exchange),
          .radix = record.radix > 0 ? record.radix : std::max(2, chosen.radix)};
}

}  // namespace heddle::select
