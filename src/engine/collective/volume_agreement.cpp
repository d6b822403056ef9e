// engine/collective/volume_agreement.cpp: begins a reduction of the volumes, and chooses from its
// result.
#include "engine/collective/volume_agreement.hpp"

#include "schedule/algorithms.hpp"
#include "select/collective/decide.hpp"
#include "select/collective/trial.hpp"

namespace heddle::engine {

Agreement::Agreement(Reductions& reductions) noexcept
    : reductions_(reductions), choice_{.algorithm = &schedule::alltoallv_direct} {}

void Agreement::begin(const select::Share& mine) noexcept {
  mine_ = mine;
  reductions_.begin(0, mine_, all_);
}

void Agreement::take(const select::Where& where) {
  reductions_.wait(0);
  const select::AlltoallvFacts facts = agreed(all_, where);
  const select::Candidate choice = select::decide_alltoallv(facts, "auto").choice;
  volumes_ = select::magnitudes({static_cast<select::Bytes>(facts.bytes), facts.largest_block, facts.most_partners});
  cadence_.settle(choice.algorithm != choice_.algorithm, calls_for(choice, where));
  choice_ = choice;
  digest_ = select::digest(choice);
}

}  // namespace heddle::engine
