// mpi/exchange/in_place.cpp: what goes to a rank lies where that rank's answer comes to lie: all that is to be sent is packed
// aside first, whichever comes when.
#include "mpi/exchange/exchange.hpp"
#include "mpi/types/element.hpp"

namespace heddle::mpi {

bool Exchange::send_from_aside() noexcept {
  Bytes room = static_cast<Bytes>(sizeof(Buffer)) * blocks_;
  const Bytes buffers = room;
  bool fits = true;
  steps_.for_each_send([&](const Block& block) { fits = fits && !__builtin_add_overflow(room, block.bytes, &room); });
  if (!fits || !aside_.reserve(room)) return false;
  packed_from_ = reinterpret_cast<Buffer*>(aside_.data());
  std::byte* packed = aside_.data() + buffers;
  steps_.for_each_send([&](const Block& block) {
    Buffer& data = data_[block.number];
    packed_from_[block.number] = data;
    if (!held_.empty()) held_[static_cast<std::size_t>(block.number)] = {};
    data = {packed, block.bytes, MPI_BYTE};
    packed += block.bytes;
  });
  return true;
}

// A rank whose host cannot pack a type says so at the end: the others wait for its blocks.
int Exchange::pack_aside() noexcept {
  Element element;
  int first = MPI_SUCCESS;
  steps_.for_each_send([&](const Block& block) {
    const Buffer& from = packed_from_[block.number];
    auto* const to = static_cast<std::byte*>(const_cast<void*>(data_[block.number].address));
    int error = element.look(from.type);
    if (error == MPI_SUCCESS) error = element.pack(from.address, from.count, to, shadow_.comm());
    if (first == MPI_SUCCESS) first = error;
  });
  return first;
}

}  // namespace heddle::mpi
