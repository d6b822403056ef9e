// mpi/types/contents.cpp: the two forms of envelope and contents, read into one.
#include "mpi/types/decode.hpp"

#include <algorithm>
#include <cstddef>

namespace heddle::mpi {
namespace {

struct Sizes {
  layout::Count integers = 0, addresses = 0, counts = 0, types = 0;
};

bool envelope(MPI_Datatype type, Sizes& sizes, int& combiner) {
  if (PMPI_Type_get_envelope_c && PMPI_Type_get_contents_c) {
    MPI_Count integers = 0, addresses = 0, counts = 0, types = 0;
    if (PMPI_Type_get_envelope_c(type, &integers, &addresses, &counts, &types, &combiner) != MPI_SUCCESS) return false;
    sizes = {integers, addresses, counts, types};
    return true;
  }
  int integers = 0, addresses = 0, types = 0;
  if (PMPI_Type_get_envelope(type, &integers, &addresses, &types, &combiner) != MPI_SUCCESS) return false;
  sizes = {integers, addresses, 0, types};
  return true;
}

bool contents_of(MPI_Datatype type, const Sizes& sizes, int* integers, MPI_Aint* addresses, MPI_Count* counts,
                 MPI_Datatype* types) {
  if (PMPI_Type_get_envelope_c && PMPI_Type_get_contents_c) {
    return PMPI_Type_get_contents_c(type, sizes.integers, sizes.addresses, sizes.counts, sizes.types, integers, addresses,
                                    counts, types) == MPI_SUCCESS;
  }
  return PMPI_Type_get_contents(type, static_cast<int>(sizes.integers), static_cast<int>(sizes.addresses),
                                static_cast<int>(sizes.types), integers, addresses, types) == MPI_SUCCESS;
}

struct Combiner {
  int combiner;
  layout::Constructor constructor;
};
constexpr Combiner of_one_type[] = {
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
};

layout::Constructor constructor_of(int combiner) {
  const auto* const found = std::ranges::find(of_one_type, combiner, &Combiner::combiner);
  return found != std::end(of_one_type) ? found->constructor : layout::Constructor::unknown;
}

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
  Sizes sizes;
  int combiner = MPI_UNDEFINED;
  return envelope(type, sizes, combiner) ? combiner : MPI_UNDEFINED;
}

bool read(MPI_Datatype type, Contents& contents) {
  Sizes sizes;
  if (!envelope(type, sizes, contents.combiner)) return false;
  if (contents.combiner == MPI_COMBINER_NAMED) return true;

  // One more than needed: some hosts dislike null arrays of no entries.
  std::vector<int> integers(static_cast<std::size_t>(sizes.integers) + 1);
  std::vector<MPI_Aint> addresses(static_cast<std::size_t>(sizes.addresses) + 1);
  std::vector<MPI_Count> counts(static_cast<std::size_t>(sizes.counts) + 1);
  contents.types.resize(static_cast<std::size_t>(sizes.types) + 1);
  if (!contents_of(type, sizes, integers.data(), addresses.data(), counts.data(), contents.types.data())) {
    contents.types.clear();
    return false;
  }
  integers.pop_back();
  addresses.pop_back();
  counts.pop_back();
  contents.types.pop_back();

  layout::Made& made = contents.made;
  made.by = constructor_of(contents.combiner);
  made.large = sizes.counts > 0;
  made.integers.assign(integers.begin(), integers.end());
  if (made.large) {
    made.numbers.assign(counts.begin(), counts.end());
  } else {
    made.numbers.assign(integers.begin(), integers.end());
    made.numbers.insert(made.numbers.end(), addresses.begin(), addresses.end());
  }
  return true;
}

}  // namespace heddle::mpi
