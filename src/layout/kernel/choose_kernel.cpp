// layout/kernel/choose_kernel.cpp: the decision for callers that are not inlined.
#include "layout/kernel/kernel_clauses.hpp"

namespace heddle::layout::kernel {

Choice choose_kernel(const Dim& outer, const Dim& inner, Bytes block, bool disagree, Isa isa, const Thresholds& by) noexcept {
  if (inner.count == 1 && inner.to == 0 && inner.from == 0) return {Kernel::copy, Because::one_piece};
  return decide(outer, inner, block, disagree, isa, by);
}
Choice choose_kernel(const ListFacts& facts, const Thresholds& by) noexcept { return decide(facts, by); }
Choice choose_kernel(const PiecesFacts& facts) noexcept { return decide(facts); }
Choice choose_kernel(const RecordFacts& facts, const Thresholds& by) noexcept { return decide(facts, by); }

ListFacts facts_of(const std::int32_t* offsets, Count blocks, Bytes block, Direction direction, Isa isa, const Thresholds& by) {
  return {blocks, block, reach_of(offsets, blocks, block, by), direction, isa};
}
ListFacts facts_of(const std::int64_t* offsets, Count blocks, Bytes block, Direction direction, Isa isa, const Thresholds& by) {
  return {blocks, block, reach_of(offsets, blocks, block, by), direction, isa};
}
RecordFacts facts_of(const Record& record, Count count, Bytes stride, bool listed, Direction direction, Isa isa) {
  return facts_of(record.plan(), count, stride, listed, direction, isa);
}

}  // namespace heddle::layout::kernel
