// mpi/exchange/in_place.cpp: what goes to a rank lies where that rank's answer comes to lie: all that is to be sent is packed
// aside first, whichever comes when.
#include "mpi/exchange/exchange.hpp"
#include "mpi/types/element.hpp"

namespace heddle::mpi {

bool Exchange::send_from_aside() noexcept {
  Bytes all = static_cast<Bytes>(sizeof(Buffer)) * sends_;
  for (int i = 0; i < sends_; ++i)
    if (__builtin_add_overflow(all, blocks_[i].bytes, &all)) return false;
  if (!aside_.reserve(all)) return false;
  packed_from_ = reinterpret_cast<Buffer*>(aside_.data());
  std::byte* packed = aside_.data() + static_cast<Bytes>(sizeof(Buffer)) * sends_;
  for (int i = 0; i < sends_; ++i) {
    Block& block = blocks_[i];
    packed_from_[i] = block.data;
    block.data = {packed, block.bytes, MPI_BYTE};
    packed += block.bytes;
  }
  return true;
}

// A rank whose host cannot pack a type says so at the end: the others wait for its blocks.
void Exchange::pack_aside() noexcept {
  Element element;
  for (int i = 0; i < sends_; ++i) {
    const Buffer& from = packed_from_[i];
    int error = element.look(from.type);
    if (error == MPI_SUCCESS)
      error = element.pack(from.address, from.count, static_cast<std::byte*>(const_cast<void*>(blocks_[i].data.address)),
                           shadow_.comm());
    note(error);
  }
}

}  // namespace heddle::mpi
