#include "support/as_host_sees.hpp"

#include <algorithm>
#include <cstdlib>

#include "support/build_type.hpp"
#include "support/known_host_errors.hpp"

namespace heddle::test {
namespace {

using layout::Bytes;
using layout::grammar::Combiner;
using layout::grammar::Type;
using layout::grammar::TypePtr;

struct Bounds {
  MPI_Aint lower = 0, extent = 0;
};
Bounds host_bounds(MPI_Datatype type) {
  Bounds b;
  MPI_Type_get_extent(type, &b.lower, &b.extent);
  return b;
}
bool equal(const layout::Layout& ours, const Bounds& host) {
  return ours.lower_bound() == host.lower && ours.extent() == host.extent;
}

/// Compares all levels. They nearly always agree.
bool all_agree(const Type& type) {
  if (type.combiner == Combiner::named) return equal(type.layout, host_bounds(predefined(type.basic->name)));
  if (!std::ranges::all_of(type.children, [](const TypePtr& child) { return all_agree(*child); })) return false;
  MPI_Datatype built = build_type(type);
  const bool agree = equal(type.layout, host_bounds(built));
  MPI_Type_free(&built);
  return agree;
}

HostView view(const TypePtr& type) {
  HostView seen{type, false, ""};
  if (type->combiner == Combiner::named) return seen;
  Type copy = *type;
  for (TypePtr& child : copy.children) {
    HostView below = view(child);
    seen.differs |= below.differs;
    if (seen.unexplained.empty()) seen.unexplained = below.unexplained;
    child = below.type;
  }
  const bool below = seen.differs;
  if (below) seen.type = layout::grammar::parse(to_string(copy));
  MPI_Datatype built = build_type(*type);
  const Bounds host = host_bounds(built);
  MPI_Type_free(&built);
  const layout::Layout& ours = seen.type->layout;
  if (equal(ours, host)) return seen;
  bool rounding = ours.lower_bound() == host.lower;
#if defined(OPEN_MPI)
  rounding = rounding && host.extent > ours.extent();  // once more for every block
  const bool unmarked = false;
#else
  constexpr Bytes strictest = 16;
  rounding = rounding && std::abs(ours.extent() - host.extent) < strictest;
  const auto marks = [](const Type& t) {
    return t.combiner == Combiner::subarray || t.combiner == Combiner::darray || t.combiner == Combiner::resized;
  };
  const bool unmarked = type->combiner == Combiner::structure && any_level(*type, marks);
#endif
  rounding = rounding || (type->combiner == Combiner::structure && ours.extent() < 0);
  if (!below && !rounding && !unmarked && !any_level(*type, describes_nothing) && seen.unexplained.empty()) {
    seen.unexplained = to_string(*type) + ": layout/ says lower bound " + std::to_string(ours.lower_bound()) + ", extent " +
                       std::to_string(ours.extent()) + ", the host " + std::to_string(host.lower) + ", " +
                       std::to_string(host.extent);
  }
  seen.differs = true;
  seen.type = layout::grammar::parse("resized(" + to_string(*seen.type) + ", " + std::to_string(host.lower) + ", " +
                                     std::to_string(host.extent) + ")");
  return seen;
}

}  // namespace

HostView as_host_sees(const TypePtr& type) { return all_agree(*type) ? HostView{type, false, ""} : view(type); }

}  // namespace heddle::test
