// select/collective/sparse_choice.hpp: the algorithm of a communicator's sparse exchanges. It is
// the same on all ranks, even if their environments differ.
//
//   const SparseChoice choice = sparse_choice(record, topology.where);      // chosen once, as no rank knows all partners
//   if (choice.name == "crystal") ...
#pragma once

#include <algorithm>
#include <string_view>

#include "select/collective/decide.hpp"
#include "select/collective/exchanged_facts.hpp"

namespace heddle::select {

struct SparseChoice {
  std::string_view name;  ///< A name in schedule::exchange().
  int radix = 2;
};

inline SparseChoice sparse_choice(const Record& record, const Where& where) {
  const Candidate chosen = choose_exchange(typical_exchange(where));
  return {.name = record.exchange == settings::Exchange::automatic ? chosen.algorithm->name : name(record.exchange),
          .radix = record.radix > 0 ? record.radix : std::max(2, chosen.radix)};
}

}  // namespace heddle::select
