// layout/constructed.cpp: the arguments of each constructor (MPI-5.0 §5.1.13).
#include "layout/constructed.hpp"

namespace heddle::layout {
namespace {

/// Reads numbers from the front of a list, and refuses to run past its end.
class Arguments {
 public:
  explicit Arguments(std::span<const Count> numbers) : rest_(numbers) {}
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

Order order_of(Count value, const Numerals& numerals) {
  if (value == numerals.order_c) return Order::c;
  if (value == numerals.order_fortran) return Order::fortran;
  throw CannotDecode("its array order is unknown");
}

Distribution distribution_of(Count value, const Numerals& numerals) {
  if (value == numerals.distribute_none) return Distribution::none;
  if (value == numerals.distribute_block) return Distribution::block;
  if (value == numerals.distribute_cyclic) return Distribution::cyclic;
  throw CannotDecode("its distribution is unknown");
}

Layout made_subarray(const Made& made, const Numerals& numerals, const Layout& old) {
  // The int form has one row: dimensions, sizes, subsizes, starts, order. The large form has two:
  // {dimensions, order} and {sizes, subsizes, starts}.
  Arguments integers(made.integers);
  Arguments counts(made.numbers);
  const Count dimensions = integers.next();
  if (!made.large) counts.next();
  const auto sizes = counts.list(dimensions);
  const auto subsizes = counts.list(dimensions);
  const auto starts = counts.list(dimensions);
  const Count order = made.large ? integers.next() : counts.next();
  return subarray(sizes, subsizes, starts, order_of(order, numerals), old);
}

Layout made_darray(const Made& made, const Numerals& numerals, const Layout& old) {
  // The int form has one row: ranks, rank, dimensions, sizes, distributions, blocks, grid, order.
  // The large form has a separate row for the sizes.
  Arguments integers(made.integers);
  Arguments counts(made.numbers);
  const Count ranks = integers.next();
  const Count rank = integers.next();
  const Count dimensions = integers.next();
  const auto sizes = made.large ? counts.list(dimensions) : integers.list(dimensions);
  std::vector<Distribution> distributions;
  for (const Count each : integers.list(dimensions)) distributions.push_back(distribution_of(each, numerals));
  std::vector<Count> blocks;
  for (const Count each : integers.list(dimensions))
    blocks.push_back(each == numerals.default_argument ? default_argument : each);
  const auto grid = integers.list(dimensions);
  return darray(ranks, rank, sizes, distributions, blocks, grid, order_of(integers.next(), numerals), old);
}

}  // namespace

Layout constructed(const Made& made, const Numerals& numerals, const Layout& old) {
  Arguments numbers(made.numbers);
  switch (made.by) {
    case Constructor::dup:
      return old;
    case Constructor::contiguous:
      return contiguous(numbers.next(), old);
    case Constructor::vector: {
      const auto three = numbers.list(3);
      return vector(three[0], three[1], three[2], old);
    }
    case Constructor::hvector: {
      const auto three = numbers.list(3);
      return hvector(three[0], three[1], three[2], old);
    }
    case Constructor::indexed: {
      const Count n = numbers.next();
      const auto lengths = numbers.list(n);
      return indexed(lengths, numbers.list(n), old);
    }
    case Constructor::hindexed: {
      const Count n = numbers.next();
      const auto lengths = numbers.list(n);
      return hindexed(lengths, numbers.list(n), old);
    }
    case Constructor::indexed_block: {
      const Count n = numbers.next();
      const Count length = numbers.next();
      return indexed_block(length, numbers.list(n), old);
    }
    case Constructor::hindexed_block: {
      const Count n = numbers.next();
      const Count length = numbers.next();
      return hindexed_block(length, numbers.list(n), old);
    }
    case Constructor::resized: {
      const auto two = numbers.list(2);
      return resized(old, two[0], two[1]);
    }
    case Constructor::subarray:
      return made_subarray(made, numerals, old);
    case Constructor::darray:
      return made_darray(made, numerals, old);
    case Constructor::structure:
    case Constructor::value_index:
    case Constructor::unknown:
      break;
  }
  throw CannotDecode("it has an unknown combiner");
}

Members::Members(const Made& made) {
  Arguments numbers(made.numbers);
  const Count n = numbers.next();
  lengths = numbers.list(n);
  displacements = numbers.list(n);
}

}  // namespace heddle::layout
