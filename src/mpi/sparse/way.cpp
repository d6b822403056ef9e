// mpi/sparse/way.cpp: who sends to whom is nobody's knowledge: the choice is made once, for what such exchanges are like.
#include "mpi/sparse/way.hpp"

#include <algorithm>

#include "select/collective/decide.hpp"

namespace heddle::mpi::sparse {

const SparseWay& way_of(ShadowComm& own) {
  std::optional<SparseWay>& way = own.sparse_way();
  if (way) return *way;
  const Record& record = own.record();
  const select::Way chosen = choose_exchange(select::typical_exchange(own.topology().where));
  way = {.name = record.exchange == settings::Exchange::automatic ? chosen.algorithm->name : name(record.exchange),
         .radix = record.radix > 0 ? record.radix : std::max(2, chosen.radix)};
  return *way;
}

}  // namespace heddle::mpi::sparse
