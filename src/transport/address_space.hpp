// transport/address_space.hpp: a range of addresses that fills with views of a file, chunk by
// chunk.
//
//   AddressSpace space;
//   if (space.reserve(64 GiB, 64 MiB)) ...                    // costs nothing: inaccessible until shown
//   space.show(file, 0, 4 * huge_page, huge_page, Access::read)
//
// Chunks are huge pages (2 MiB). Neighbours merge: one mapping of the process for a run of them.
#pragma once

#include <cstddef>

#include "transport/region.hpp"

namespace heddle::transport {

class AddressSpace {
 public:
  AddressSpace() = default;
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace();

  /// `size` bytes of addresses, a multiple of a chunk, or what is left when it is halved until the system gives it (ulimit -v),
  /// but not less than `least`. False: none. At most once.
  bool reserve(Bytes size, Bytes least) noexcept;

  /// Shows [file_offset + at, + bytes) of the file at base() + at. Chunks, all. False: refused, and inaccessible as before.
  bool show(int file, Bytes file_offset, Bytes at, Bytes bytes, Mapping::Access access) noexcept;

  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] Bytes size() const noexcept { return size_; }

 private:
  std::byte* base_ = nullptr;
  Bytes size_ = 0;
};

}  // namespace heddle::transport
