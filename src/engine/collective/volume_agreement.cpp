// engine/collective/volume_agreement.cpp
#include "engine/collective/volume_agreement.hpp"

#include "schedule/algorithms.hpp"
#include "select/collective/decide.hpp"
#include "select/collective/trial.hpp"

namespace heddle::engine {

Agreement::Agreement(Reductions& reductions) noexcept
    : reductions_(reductions), way_{.algorithm = &schedule::alltoallv_direct} {}

void Agreement::begin(const select::Share& mine) noexcept {
  mine_ = mine;
  reductions_.begin(0, mine_, all_);
}

void Agreement::take(const select::Where& where) {
  reductions_.wait(0);
  const select::AlltoallvFacts facts = agreed(all_, where);
  const select::Way way = select::decide_alltoallv(facts, "auto").way;
  volumes_ = select::magnitudes({static_cast<select::Bytes>(facts.bytes), facts.largest_block, facts.most_partners});
  cadence_.settle(way.algorithm != way_.algorithm, calls_for(way, where));
  way_ = way;
  digest_ = select::digest(way);
}

}  // namespace heddle::engine
