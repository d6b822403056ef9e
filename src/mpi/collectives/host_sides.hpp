// mpi/collectives/host_sides.hpp: one side of a collective call, as the host gets it. Side and
// Blocks are those of engine/collective/block_sides.hpp, with MPI's datatypes. Plain needs no copy.
#pragma once

#include "engine/collective/block_sides.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/types/registry.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

struct TypesOfHost {
  using Handle = MPI_Datatype;
  using Entry = mpi::Entry;
  using Reference = Derived;
  static const Entry* hold_any(MPI_Datatype type) noexcept { return mpi::hold_any(type); }
  static bool known(MPI_Datatype type) noexcept { return mpi::known(type); }
};
using Side = engine::Side<TypesOfHost>;
using Blocks = engine::Blocks<TypesOfHost>;

/// The side of an argument: Buffer, VArgument or WArgument.
template <class Given>
using SideOf = std::conditional_t<std::is_same_v<Given, Buffer>, Side, Blocks>;

/// A buffer argument that needs no copy. A predefined type stays as it is. A derived type without
/// holes becomes the basic type that it is made of. This saves a call without holes all further
/// work. Arguments that are not significant on this rank may be given, too: only the handle is
/// read, and the host ignores the result as it ignores the argument. Only within MPI_COMM_WORLD
/// (peers.hpp).
class Plain {
 public:
  Plain(const Buffer& data, MPI_Comm comm) : data_(data) {
    Entry* const found = table.find(data.type);
    const Entry* const entry = found ? found->ready(data.type) : nullptr;
    if (!entry) return;
    const Wire& wire = entry->wire();
    plain_ = !communicators::reaches_beyond(comm) && entry->wire_in_memory(2) && data.count >= 0 &&
             !__builtin_mul_overflow(data.count, wire.per, &data_.count) && fits(data_.count);
    if (!plain_) return;
    data_.type = wire.element;
    if (data.address != MPI_IN_PLACE) data_.address = static_cast<const std::byte*>(data.address) + entry->first_byte();
  }
  explicit operator bool() const { return plain_ && fits(data_.count); }
  [[nodiscard]] void* address() const { return const_cast<void*>(data_.address); }
  [[nodiscard]] Number count() const { return {data_.count}; }
  [[nodiscard]] MPI_Datatype type() const { return data_.type; }

 private:
  Buffer data_;
  bool plain_ = true;
};

// MPICH refuses a call that sends and receives the very same elements. It would not notice if they
// were packed, so it gets them as they are. A call may use one buffer with different types or
// displacements (a halo exchange within one array).
inline bool same_elements(const Buffer& a, const Buffer& b) {
  return a.address == b.address && a.address != MPI_BOTTOM && a.type == b.type && a.count != 0 && b.count != 0;
}
inline bool same_elements(const Buffer& a, const VArgument& b) { return same_elements(a, Buffer{b.address, 1, b.type}); }
inline bool same_elements(const VArgument& a, const Buffer& b) { return same_elements(b, a); }
inline bool same_elements(const VArgument& a, const VArgument& b) {
  return same_elements(Buffer{a.address, 1, a.type}, b) && a.counts.array() == b.counts.array();
}
inline bool same_elements(const WArgument& a, const WArgument& b) {
  return a.address == b.address && a.address != MPI_BOTTOM && a.types == b.types && a.counts.array() == b.counts.array();
}

/// If both sides are Plain, calls the host with them. Nothing: they are not.
template <class Sent, class Received, class Hand>
Done hand_plain(const Sent& send, const Received& receive, MPI_Comm comm, Hand hand) {
  if constexpr (std::is_same_v<Sent, Buffer> && std::is_same_v<Received, Buffer>) {
    const struct {
      Plain out, in;
      bool wide = false;
    } plain{Plain(send, comm), Plain(receive, comm)};
    if (plain.out && plain.in && !same_elements(send, receive)) return hand(plain);
  }
  return {};
}

}  // namespace heddle::mpi
