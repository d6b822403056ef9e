// mpi/types/decode.cpp: datatypes are made of others; the host is asked for each.
#include "mpi/types/decode.hpp"

#include <unordered_map>
#include <vector>

#include "mpi/types/entry.hpp"
#include "mpi/types/handles.hpp"

namespace heddle::mpi {
namespace {

using layout::Layout;
using layout::one;

struct Bounds {
  MPI_Aint lower = 0, extent = 0;
};
Bounds bounds_of(MPI_Datatype type) {
  Bounds bounds;
  if (PMPI_Type_get_extent(type, &bounds.lower, &bounds.extent) != MPI_SUCCESS) throw CannotDecode("its extent is not known");
  return bounds;
}
Bytes size_of(MPI_Datatype type) {
  MPI_Count size = 0;
  if (PMPI_Type_size_x(type, &size) != MPI_SUCCESS || size < 0) throw CannotDecode("its size is not known");
  return size;
}

constexpr layout::Numerals numerals{.order_c = MPI_ORDER_C,
                                    .order_fortran = MPI_ORDER_FORTRAN,
                                    .distribute_none = MPI_DISTRIBUTE_NONE,
                                    .distribute_block = MPI_DISTRIBUTE_BLOCK,
                                    .distribute_cyclic = MPI_DISTRIBUTE_CYCLIC,
                                    .default_argument = MPI_DISTRIBUTE_DFLT_DARG};

/// Decodes a tree of types. Handles that the host gives out are freed only at the end, so that while we work no new type
/// can take the number of one we remember.
class Decoder {
 public:
  Decoder() = default;
  Decoder(const Decoder&) = delete;
  Decoder& operator=(const Decoder&) = delete;
  ~Decoder() {
    for (MPI_Datatype& type : to_free_) PMPI_Type_free(&type);
  }

  Decoded decode(MPI_Datatype type) {
    const auto seen = seen_.find(type);
    if (seen != seen_.end()) return seen->second;
    // Handles that come out of MPI_Type_get_contents may be ones that the program has used.
    const Entry* entry = table.find(type);
    Decoded result = entry && entry->known() ? entry->decoded() : decode_new(type);
    seen_.emplace(type, result);
    return result;
  }

 private:
  Decoded decode_new(MPI_Datatype type) {
    Contents contents;
    if (!read(type, contents)) throw CannotDecode("the host does not tell its contents");
    if (contents.combiner == MPI_COMBINER_NAMED) return named(type);
    std::vector<Decoded> olds;
    olds.reserve(contents.types.size());
    // First remember what has to be freed, then look into it: looking may throw.
    for (const MPI_Datatype old : contents.types) keep(old);
    for (const MPI_Datatype old : contents.types) olds.push_back(decode(old));

    Decoded result = construct(type, contents, olds);
    const Bounds bounds = bounds_of(type);
    if (bounds.lower != result.layout.lower_bound() || bounds.extent != result.layout.extent())
      result.layout = layout::resized(result.layout, bounds.lower, bounds.extent);
    return result;
  }

  void keep(MPI_Datatype old) {
    if (!names_predefined(combiner_of(old))) to_free_.push_back(old);
  }

  static Decoded named(MPI_Datatype type) {
    if (const Pair* two = pair(type)) return {two->layout(), two->signature()};
    const Bytes size = size_of(type);
    const Bounds bounds = bounds_of(type);
    if (size == 0) return {layout::resized(Layout{}, bounds.lower, bounds.extent), {}};  // the old MPI_LB and MPI_UB
    if (bounds.lower != 0 || bounds.extent != size)
      throw CannotDecode("it has an element with holes that Heddle does not know");
    MPI_Datatype element{};
    if (twin(type, element) && size_of(element) * 2 == size) return {layout::basic(size), repeated(one(element, size / 2), 2)};
    return {layout::basic(size), one(type, size)};
  }

  static Decoded construct(MPI_Datatype type, const Contents& contents, const std::vector<Decoded>& olds) {
    switch (contents.combiner) {
      case MPI_COMBINER_F90_REAL:
      case MPI_COMBINER_F90_COMPLEX:
      case MPI_COMBINER_F90_INTEGER:
        return {layout::basic(size_of(type)), one(type, size_of(type))};
      case MPI_COMBINER_STRUCT:
        return layout::structure<MPI_Datatype>(contents.made, olds);
#if HEDDLE_VALUE_INDEX
      case MPI_COMBINER_VALUE_INDEX:
        return value_index(type, olds);
#endif
      default: {
        if (contents.made.by == layout::Constructor::unknown || olds.size() != 1)
          throw CannotDecode("it has an unknown combiner (" + std::to_string(contents.combiner) + ")");
        return layout::constructed(contents.made, numerals, olds.front());
      }
    }
  }

#if HEDDLE_VALUE_INDEX
  /// MPI_Type_get_value_index: a value, then an index that ends where the type ends.
  static Decoded value_index(MPI_Datatype type, const std::vector<Decoded>& olds) {
    MPI_Aint lower = 0, extent = 0;
    if (olds.size() != 2 || PMPI_Type_get_true_extent(type, &lower, &extent) != MPI_SUCCESS)
      throw CannotDecode("the host tells too little of its contents");
    return {layout::value_and_index(olds[0].layout, olds[1].layout, extent - olds[1].layout.size()),
            then(olds[0].signature, olds[1].signature)};
  }
#endif

  std::unordered_map<MPI_Datatype, Decoded> seen_;
  std::vector<MPI_Datatype> to_free_;
};

void check_against_host(MPI_Datatype type, const Layout& layout) {
  if (size_of(type) != layout.size()) throw CannotDecode("Heddle and the host disagree about its size");
  if (layout.size() == 0) return;
  MPI_Aint lower = 0, extent = 0;
  if (PMPI_Type_get_true_extent(type, &lower, &extent) != MPI_SUCCESS || lower != layout.true_lower_bound() ||
      extent != layout.true_extent())
    throw CannotDecode("Heddle and the host disagree about its true extent");
}

}  // namespace

Decoded decode(MPI_Datatype type) {
  Decoder decoder;
  Decoded result = decoder.decode(type);
  check_against_host(type, result.layout);
  return result;
}

}  // namespace heddle::mpi
