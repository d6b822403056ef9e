// mpi/types/decode.cpp: one function for each combiner of MPI (MPI-5.0 §5.1.13).
#include "mpi/types/decode.hpp"

#include <array>
#include <unordered_map>
#include <vector>

#include "mpi/types/contents.hpp"
#include "mpi/types/entry.hpp"
#include "mpi/types/pairs.hpp"

namespace heddle::mpi {
namespace {

using layout::Layout;

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

/// Reads numbers from the front of a list, and refuses to run past its end.
class Reader {
 public:
  explicit Reader(std::span<const Count> numbers) : rest_(numbers) {}
  Count next() { return list(1).front(); }
  std::span<const Count> list(Count n) {
    if (n < 0 || static_cast<std::size_t>(n) > rest_.size()) throw CannotDecode("the host tells too little of its contents");
    const auto taken = rest_.first(static_cast<std::size_t>(n));
    rest_ = rest_.subspan(static_cast<std::size_t>(n));
    return taken;
  }

 private:
  std::span<const Count> rest_;
};

layout::Order order_of(Count value) {
  if (value == MPI_ORDER_C) return layout::Order::c;
  if (value == MPI_ORDER_FORTRAN) return layout::Order::fortran;
  throw CannotDecode("its array order is unknown");
}

layout::Distribution distribution_of(Count value) {
  if (value == MPI_DISTRIBUTE_NONE) return layout::Distribution::none;
  if (value == MPI_DISTRIBUTE_BLOCK) return layout::Distribution::block;
  if (value == MPI_DISTRIBUTE_CYCLIC) return layout::Distribution::cyclic;
  throw CannotDecode("its distribution is unknown");
}

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
    Decoded result;
    if (!decoded_before(type, result)) result = decode_new(type);
    seen_.emplace(type, result);
    return result;
  }

 private:
  Decoded decode_new(MPI_Datatype type) {
    Contents made;
    if (!read(type, made)) throw CannotDecode("the host does not tell its contents");
    if (made.combiner == MPI_COMBINER_NAMED) return named(type);
    std::vector<Decoded> olds;
    olds.reserve(made.types.size());
    // First remember what has to be freed, then look into it: looking may throw.
    for (const MPI_Datatype old : made.types) keep(old);
    for (const MPI_Datatype old : made.types) olds.push_back(decode(old));

    Decoded result = construct(type, made, olds);
    const Bounds bounds = bounds_of(type);
    if (bounds.lower != result.layout.lower_bound() || bounds.extent != result.layout.extent())
      result.layout = layout::resized(result.layout, bounds.lower, bounds.extent);
    return result;
  }

  void keep(MPI_Datatype old) {
    if (!names_predefined(combiner_of(old))) to_free_.push_back(old);
  }

  static Decoded named(MPI_Datatype type) {
    if (const Pair* two = pair(type)) return {two->layout(), then(one(two->value, two->value_size), one(MPI_INT, sizeof(int)))};
    const Bytes size = size_of(type);
    const Bounds bounds = bounds_of(type);
    if (size == 0) return {layout::resized(Layout{}, bounds.lower, bounds.extent), {}};  // the old MPI_LB and MPI_UB
    if (bounds.lower != 0 || bounds.extent != size)
      throw CannotDecode("it has an element with holes that Heddle does not know");
    MPI_Datatype element{};
    if (twin(type, element) && size_of(element) * 2 == size) return {layout::basic(size), repeated(one(element, size / 2), 2)};
    return {layout::basic(size), one(type, size)};
  }

  static Decoded construct(MPI_Datatype type, const Contents& made, const std::vector<Decoded>& olds) {
    switch (made.combiner) {
      case MPI_COMBINER_F90_REAL:
      case MPI_COMBINER_F90_COMPLEX:
      case MPI_COMBINER_F90_INTEGER:
        return {layout::basic(size_of(type)), one(type, size_of(type))};
      case MPI_COMBINER_STRUCT:
        return structure(made, olds);
#if HEDDLE_VALUE_INDEX
      case MPI_COMBINER_VALUE_INDEX:
        return value_index(type, olds);
#endif
      default: {
        if (olds.size() != 1) throw CannotDecode("it has an unknown combiner (" + std::to_string(made.combiner) + ")");
        const Decoded& old = olds.front();
        Layout all = of_one(made, old.layout);
        const Count copies = old.layout.size() ? all.size() / old.layout.size() : 0;
        return {std::move(all), repeated(old.signature, copies)};
      }
    }
  }

  /// Combiners with one old type.
  static Layout of_one(const Contents& made, const Layout& old) {
    Reader numbers(made.numbers);
    switch (made.combiner) {
      case MPI_COMBINER_DUP:
        return old;
      case MPI_COMBINER_CONTIGUOUS:
        return layout::contiguous(numbers.next(), old);
      case MPI_COMBINER_VECTOR: {
        const auto three = numbers.list(3);
        return layout::vector(three[0], three[1], three[2], old);
      }
      case MPI_COMBINER_HVECTOR: {
        const auto three = numbers.list(3);
        return layout::hvector(three[0], three[1], three[2], old);
      }
      case MPI_COMBINER_INDEXED: {
        const Count n = numbers.next();
        const auto lengths = numbers.list(n);
        return layout::indexed(lengths, numbers.list(n), old);
      }
      case MPI_COMBINER_HINDEXED: {
        const Count n = numbers.next();
        const auto lengths = numbers.list(n);
        return layout::hindexed(lengths, numbers.list(n), old);
      }
      case MPI_COMBINER_INDEXED_BLOCK: {
        const Count n = numbers.next();
        const Count length = numbers.next();
        return layout::indexed_block(length, numbers.list(n), old);
      }
      case MPI_COMBINER_HINDEXED_BLOCK: {
        const Count n = numbers.next();
        const Count length = numbers.next();
        return layout::hindexed_block(length, numbers.list(n), old);
      }
      case MPI_COMBINER_RESIZED: {
        const auto two = numbers.list(2);
        return layout::resized(old, two[0], two[1]);
      }
      case MPI_COMBINER_SUBARRAY:
        return subarray(made, old);
      case MPI_COMBINER_DARRAY:
        return darray(made, old);
      default:
        throw CannotDecode("it has an unknown combiner (" + std::to_string(made.combiner) + ")");
    }
  }

  static Layout subarray(const Contents& made, const Layout& old) {
    // int form: dimensions, sizes, subsizes, starts, order; large form: {dimensions, order}, {sizes, subsizes, starts}
    Reader integers(made.integers);
    Reader counts(made.numbers);
    const Count dimensions = integers.next();
    if (!made.large) counts.next();
    const auto sizes = counts.list(dimensions);
    const auto subsizes = counts.list(dimensions);
    const auto starts = counts.list(dimensions);
    const Count order = made.large ? integers.next() : counts.next();
    return layout::subarray(sizes, subsizes, starts, order_of(order), old);
  }

  static Layout darray(const Contents& made, const Layout& old) {
    // int form: ranks, rank, dimensions, sizes, distributions, arguments, grid, order; large form: sizes are apart
    Reader integers(made.integers);
    Reader counts(made.numbers);
    const Count ranks = integers.next();
    const Count rank = integers.next();
    const Count dimensions = integers.next();
    const auto sizes = made.large ? counts.list(dimensions) : integers.list(dimensions);
    std::vector<layout::Distribution> distributions;
    for (const Count each : integers.list(dimensions)) distributions.push_back(distribution_of(each));
    std::vector<Count> arguments;
    for (const Count each : integers.list(dimensions))
      arguments.push_back(each == MPI_DISTRIBUTE_DFLT_DARG ? layout::default_argument : each);
    const auto grid = integers.list(dimensions);
    return layout::darray(ranks, rank, sizes, distributions, arguments, grid, order_of(integers.next()), old);
  }

  static Decoded structure(const Contents& made, const std::vector<Decoded>& olds) {
    Reader numbers(made.numbers);
    const Count n = numbers.next();
    const auto lengths = numbers.list(n);
    const auto displacements = numbers.list(n);
    if (olds.size() != lengths.size()) throw CannotDecode("the host tells too little of its contents");
    std::vector<Layout> members;
    members.reserve(olds.size());
    Signature signature;
    for (std::size_t i = 0; i < olds.size(); ++i) {
      members.push_back(olds[i].layout);
      signature = then(signature, repeated(olds[i].signature, lengths[i]));
    }
    return {layout::structure(lengths, displacements, members), signature};
  }

#if HEDDLE_VALUE_INDEX
  /// MPI_Type_get_value_index: a value, then an index that ends where the type ends.
  static Decoded value_index(MPI_Datatype type, const std::vector<Decoded>& olds) {
    MPI_Aint lower = 0, extent = 0;
    if (olds.size() != 2 || PMPI_Type_get_true_extent(type, &lower, &extent) != MPI_SUCCESS)
      throw CannotDecode("the host tells too little of its contents");
    const std::array<Count, 2> lengths = {1, 1};
    const std::array<Bytes, 2> displacements = {0, extent - olds[1].layout.size()};
    const std::array<Layout, 2> members = {olds[0].layout, olds[1].layout};
    return {layout::structure(lengths, displacements, members), then(olds[0].signature, olds[1].signature)};
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
