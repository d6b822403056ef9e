// mpi/types/decode.cpp: asks the host for the contents of a datatype, and of the types that it was
// made of.
#include "mpi/types/decode.hpp"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "layout/decoder.hpp"
#include "mpi/types/contents.hpp"
#include "mpi/types/entry.hpp"
#include "mpi/types/handles.hpp"

namespace heddle::mpi {
namespace {

using layout::Layout;
using layout::one;

layout::Bounds bounds_of(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  if (PMPI_Type_get_extent(type, &lower, &extent) != MPI_SUCCESS) throw CannotDecode("its extent is not known");
  return {lower, extent};
}
layout::Bounds true_bounds_of(MPI_Datatype type) {
  MPI_Aint lower = 0, extent = 0;
  if (PMPI_Type_get_true_extent(type, &lower, &extent) != MPI_SUCCESS) throw CannotDecode("its true extent is not known");
  return {lower, extent};
}
Bytes size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) throw CannotDecode("its size is not known");
  return size;
}

Decoded basic_type(MPI_Datatype type) {
  if (const Pair* two = pair(type)) return {two->layout(), two->signature()};
  const Bytes size = size_of(type);
  const layout::Bounds bounds = bounds_of(type);
  if (size == 0) return {layout::resized(Layout{}, bounds.lower, bounds.extent), {}};  // the old MPI_LB and MPI_UB
  if (bounds.lower != 0 || bounds.extent != size) throw CannotDecode("it has an element with holes that Heddle does not know");
  MPI_Datatype element{};
  if (twin(type, element) && size_of(element) * 2 == size) return {layout::basic(size), repeated(one(element, size / 2), 2)};
  return {layout::basic(size), one(type, size)};
}

struct Combiner {
  int combiner;
  layout::Constructor constructor;
};
constexpr Combiner constructors[] = {
    {MPI_COMBINER_DUP, layout::Constructor::dup},
    {MPI_COMBINER_CONTIGUOUS, layout::Constructor::contiguous},
    {MPI_COMBINER_VECTOR, layout::Constructor::vector},
    {MPI_COMBINER_HVECTOR, layout::Constructor::hvector},
    {MPI_COMBINER_INDEXED, layout::Constructor::indexed},
    {MPI_COMBINER_HINDEXED, layout::Constructor::hindexed},
    {MPI_COMBINER_INDEXED_BLOCK, layout::Constructor::indexed_block},
    {MPI_COMBINER_HINDEXED_BLOCK, layout::Constructor::hindexed_block},
    {MPI_COMBINER_RESIZED, layout::Constructor::resized},
    {MPI_COMBINER_SUBARRAY, layout::Constructor::subarray},
    {MPI_COMBINER_DARRAY, layout::Constructor::darray},
    {MPI_COMBINER_STRUCT, layout::Constructor::structure},
#if HEDDLE_VALUE_INDEX
    {MPI_COMBINER_VALUE_INDEX, layout::Constructor::value_index},
#endif
};

layout::Constructor constructor_of(int combiner) {
  const auto* const found = std::ranges::find(constructors, combiner, &Combiner::combiner);
  return found != std::end(constructors) ? found->constructor : layout::Constructor::unknown;
}

struct AsHostTells {
  using Type = MPI_Datatype;

  static constexpr layout::Numerals numerals{.order_c = MPI_ORDER_C,
                                             .order_fortran = MPI_ORDER_FORTRAN,
                                             .distribute_none = MPI_DISTRIBUTE_NONE,
                                             .distribute_block = MPI_DISTRIBUTE_BLOCK,
                                             .distribute_cyclic = MPI_DISTRIBUTE_CYCLIC,
                                             .default_argument = MPI_DISTRIBUTE_DFLT_DARG};

  /// MPI_Type_get_contents may return a handle that the program has used. Then its type is decoded
  /// already.
  static std::optional<Decoded> known(MPI_Datatype type) {
    const Entry* entry = table.find(type);
    return entry && entry->known() ? std::optional(entry->decoded()) : std::nullopt;
  }

  static layout::Told<MPI_Datatype> tell(MPI_Datatype type) {
    layout::Told<MPI_Datatype> told;
    TypeEnvelope envelope;
    if (!look_at(type, envelope)) throw CannotDecode("the host does not tell its contents");
    const int combiner = envelope.combiner;
    if (combiner == MPI_COMBINER_NAMED) {
      told.basic = basic_type(type);
      return told;
    }
    if (constructor_of(combiner) == layout::Constructor::unknown) {
      if (!names_predefined(combiner)) throw CannotDecode("it has an unknown combiner (" + std::to_string(combiner) + ")");
      told.basic = Decoded{layout::basic(size_of(type)), one(type, size_of(type))};  // Fortran's, by precision and range
      return told;
    }
    // One entry more than needed: some hosts dislike null arrays.
    const auto room = [](layout::Count n) { return static_cast<std::size_t>(n) + 1; };
    std::vector<int> integers(room(envelope.integers));
    std::vector<MPI_Aint> addresses(room(envelope.addresses));
    std::vector<MPI_Count> counts(room(envelope.counts));
    std::vector<MPI_Datatype> types(room(envelope.types));
    if (!look_into(type, envelope, integers.data(), addresses.data(), counts.data(), types.data()))
      throw CannotDecode("the host does not tell its contents");
    types.pop_back();
    const auto told_of = [](const auto& row) { return std::span(row).first(row.size() - 1); };
    told.made = layout::made(constructor_of(combiner), told_of(integers), told_of(addresses), told_of(counts));
    told.olds = std::move(types);
    std::ranges::copy_if(told.olds, std::back_inserter(told.given),
                         [](MPI_Datatype old) { return !seen_predefined(old) && !names_predefined(combiner_of(old)); });
    if (told.made.by == layout::Constructor::value_index) told.made.numbers = {true_bounds_of(type).extent};
    return told;
  }

  static layout::Bounds bounds(MPI_Datatype type) { return bounds_of(type); }
  static void free(MPI_Datatype type) noexcept { PMPI_Type_free(&type); }
};

}  // namespace

bool names_predefined(int combiner) {
  switch (combiner) {
    case MPI_COMBINER_NAMED:
    case MPI_COMBINER_F90_REAL:
    case MPI_COMBINER_F90_COMPLEX:
    case MPI_COMBINER_F90_INTEGER:
#if HEDDLE_VALUE_INDEX
    case MPI_COMBINER_VALUE_INDEX:
#endif
      return true;
    default:
      return false;
  }
}

int combiner_of(MPI_Datatype type) {
  TypeEnvelope envelope;
  return look_at(type, envelope) ? envelope.combiner : MPI_UNDEFINED;
}

Decoded decode(MPI_Datatype type) {
  Decoded result = layout::Decoder(AsHostTells{}).decode(type);
  const Layout& layout = result.layout;
  if (size_of(type) != layout.size()) throw CannotDecode("Heddle and the host disagree about its size");
  if (layout.size() == 0) return result;
  const layout::Bounds bounds = true_bounds_of(type);
  if (bounds.lower != layout.true_lower_bound() || bounds.extent != layout.true_extent())
    throw CannotDecode("Heddle and the host disagree about its true extent");
  return result;
}

}  // namespace heddle::mpi
