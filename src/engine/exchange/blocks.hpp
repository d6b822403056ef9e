// engine/exchange/blocks.hpp: finds and measures the blocks in the arguments of a collective.
//
//   Ruler<MPI_Datatype, look> ruler;
//   Buffer<MPI_Datatype> data;
//   if (!block_of(send, rank, ruler, data, bytes)) return MPI_ERR_COUNT;        // numbers that no buffer has
//
// Measure is a Ruler. It is a template parameter because the tests measure types that are numbers.
#pragma once

#include "engine/base/arguments.hpp"

namespace heddle::engine {

/// The bytes on which a block's place and size depend.
struct Measures {
  layout::Bytes size = 0;
  layout::Bytes extent = 0;
};

/// Measures one type after the other, most often the same type. look() measures a type, and returns
/// false for a refused type.
template <class Handle, bool (*look)(Handle, Measures&) noexcept>
class Ruler {
 public:
  using Type = Handle;

  bool measure(Type type, Measures& measures) noexcept {
    if (!last_known_ || type != last_) {
      last_known_ = look(type, found_);
      last_ = type;
    }
    measures = found_;
    return last_known_;
  }

 private:
  Type last_{};
  bool last_known_ = false;
  Measures found_;
};

// Finds a block of an argument, and its bytes. If there are no elements, type and place mean
// nothing. False: the block cannot be sent (a negative count, a size beyond 64 bits).

template <class Measure, class Type = typename Measure::Type>
bool block_of(const Buffer<Type>& given, int i, Measure& ruler, Buffer<Type>& data, layout::Bytes& bytes) noexcept {
  Measures type;
  layout::Bytes stride = 0;
  layout::Bytes offset = 0;
  if (given.count == 0) return bytes = 0, data = given, true;
  if (given.count < 0 || !ruler.measure(given.type, type) || __builtin_mul_overflow(given.count, type.size, &bytes) ||
      __builtin_mul_overflow(given.count, type.extent, &stride) || __builtin_mul_overflow(stride, i, &offset))
    return false;
  data = {displaced(given.address, offset), given.count, given.type};
  return true;
}

template <class Measure, class Type = typename Measure::Type>
bool block_of(const VArgument<Type>& given, int i, Measure& ruler, Buffer<Type>& data, layout::Bytes& bytes) noexcept {
  Measures type;
  layout::Bytes offset = 0;
  const layout::Count count = given.counts[i];
  if (count == 0) return bytes = 0, data = {given.address, 0, given.type}, true;
  if (count < 0 || !ruler.measure(given.type, type) || __builtin_mul_overflow(count, type.size, &bytes) ||
      __builtin_mul_overflow(given.displacements[i], type.extent, &offset))
    return false;
  data = {displaced(given.address, offset), count, given.type};
  return true;
}

template <class Measure, class Type = typename Measure::Type>
bool block_of(const WArgument<Type>& given, int i, Measure& ruler, Buffer<Type>& data, layout::Bytes& bytes) noexcept {
  Measures type;
  const layout::Count count = given.counts[i];
  if (count == 0) return bytes = 0, data = {given.address, 0, given.types[i]}, true;
  if (count < 0 || !ruler.measure(given.types[i], type) || __builtin_mul_overflow(count, type.size, &bytes)) return false;
  data = {displaced(given.address, given.displacements[i]), count, given.types[i]};
  return true;
}

/// Bytes of all blocks together.
template <class Measure, class Given>
bool bytes_of_all(const Given& given, int ranks, layout::Bytes& all) noexcept {
  Measure ruler;
  Buffer<typename Measure::Type> data;
  layout::Bytes bytes = 0;
  all = 0;
  for (int i = 0; i < ranks; ++i)
    if (!block_of(given, i, ruler, data, bytes) || __builtin_add_overflow(all, bytes, &all)) return false;
  return true;
}

}  // namespace heddle::engine
