// engine/exchange/blocks.hpp: makes the blocks of an exchange from the arguments of a collective.
//
//   Exchange exchange(...);                        // any class with receive(edge, buffer, bytes) and send(edge, buffer, bytes)
//   if (!to_all<Ruler<MPI_Datatype, look>>(me, ranks, send, receive, exchange)) return MPI_ERR_COUNT;
//
// All functions return false if there are numbers that no buffer has. Measure is a Ruler.
#pragma once

#include <span>

#include "engine/base/arguments.hpp"
#include "engine/exchange/edges.hpp"

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

/// Blocks to and from every rank. In step k this rank sends to rank me + k and receives from rank
/// me - k. So no rank is the first partner of all others.
template <class Measure, class Given, class Exchange>
bool to_all(int me, int ranks, const Given& send, const Given& receive, Exchange& exchange) noexcept {
  Measure out;
  Measure in;
  Buffer<typename Measure::Type> data;
  layout::Bytes bytes = 0;
  for (int k = 0; k < ranks; ++k) {
    const int to = (me + k) % ranks;
    const int from = (me + ranks - k) % ranks;
    if (!block_of(receive, from, in, data, bytes)) return false;
    exchange.receive({from, 0}, data, bytes);
    if (!block_of(send, to, out, data, bytes)) return false;
    exchange.send({to, 0}, data, bytes);
  }
  return true;
}

/// to_all() with MPI_IN_PLACE, in the same order. This rank's own block stays as it is. The caller
/// still has to pack the sends aside.
template <class Measure, class Given, class Exchange>
bool to_all_in_place(int me, int ranks, const Given& given, Exchange& exchange) noexcept {
  Measure ruler;
  Buffer<typename Measure::Type> data;
  layout::Bytes bytes = 0;
  if (!bytes_of_all<Measure>(given, ranks, bytes)) return false;
  for (int k = 1; k < ranks; ++k) {
    const int to = (me + k) % ranks;
    const int from = (me + ranks - k) % ranks;
    block_of(given, from, ruler, data, bytes);
    exchange.receive({from, 0}, data, bytes);
    block_of(given, to, ruler, data, bytes);
    exchange.send({to, 0}, data, bytes);
  }
  return true;
}

/// One block of each rank to all ranks, in the same order. `in_place`: this rank's block lies at
/// its place in the receive buffer.
template <class Measure, class Sent, class Given, class Exchange>
bool gather_to_all(int me, int ranks, bool in_place, const Sent& send, const Given& receive, Exchange& exchange) noexcept {
  Measure out;
  Measure in;
  Buffer<typename Measure::Type> data;
  layout::Bytes bytes = 0;
  layout::Bytes mine = 0;
  for (int k = 0; k < ranks; ++k) {
    const int from = (me + ranks - k) % ranks;
    if (!block_of(receive, from, in, data, bytes)) return false;
    if (k == 0) mine = bytes;
    if (k > 0 || !in_place) exchange.receive({from, 0}, data, bytes);
  }
  if (!in_place && !block_of(send, 0, out, data, bytes)) return false;
  // If this rank sends nothing although the others expect bytes, the program is wrong. But the
  // others wait for a message, so they get one.
  if (in_place || (bytes == 0 && mine > 0)) block_of(receive, me, in, data, bytes);
  for (int k = in_place ? 1 : 0; k < ranks; ++k) exchange.send({(me + k) % ranks, 0}, data, bytes);
  return true;
}

template <class Measure, class Given, class Exchange>
bool receive_from_neighbours(std::span<const Edge> edges, const Given& receive, Exchange& exchange) noexcept {
  Measure ruler;
  Buffer<typename Measure::Type> data;
  layout::Bytes bytes = 0;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (!block_of(receive, static_cast<int>(i), ruler, data, bytes)) return false;
    exchange.receive(edges[i], data, bytes);
  }
  return true;
}

/// Blocks to and from the neighbours, in the program's order.
template <class Measure, class Given, class Exchange>
bool to_neighbours(std::span<const Edge> to, std::span<const Edge> from, const Given& send, const Given& receive,
                   Exchange& exchange) noexcept {
  if (!receive_from_neighbours<Measure>(from, receive, exchange)) return false;
  Measure ruler;
  Buffer<typename Measure::Type> data;
  layout::Bytes bytes = 0;
  for (std::size_t i = 0; i < to.size(); ++i) {
    if (!block_of(send, static_cast<int>(i), ruler, data, bytes)) return false;
    exchange.send(to[i], data, bytes);
  }
  return true;
}

/// Sends the same block to each neighbour, and receives one from each.
template <class Measure, class Sent, class Given, class Exchange>
bool gather_to_neighbours(std::span<const Edge> to, std::span<const Edge> from, const Sent& send, const Given& receive,
                          Exchange& exchange) noexcept {
  if (!receive_from_neighbours<Measure>(from, receive, exchange)) return false;
  if (to.empty()) return true;
  Measure ruler;
  Buffer<typename Measure::Type> data;
  layout::Bytes bytes = 0;
  if (!block_of(send, 0, ruler, data, bytes)) return false;
  for (const Edge& edge : to) exchange.send(edge, data, bytes);
  return true;
}

}  // namespace heddle::engine
