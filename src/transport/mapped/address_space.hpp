// transport/mapped/address_space.hpp: a range of addresses that is mapped to a file chunk by chunk.
//
//   AddressSpace space;
//   if (space.reserve(64 GiB, 64 MiB)) ...                    // costs nothing: inaccessible until shown
//   space.show(file, 0, 4 * huge_page, huge_page, Access::read)
//
// A chunk has the size of a huge page. The kernel merges neighbouring chunks into one
// mapping.
#pragma once

#include <cstddef>

#include "transport/region.hpp"

namespace heddle::transport {

class AddressSpace {
 public:
  static constexpr Bytes chunk = huge_page;
  static constexpr Bytes least_space = Bytes{64} << 20;  ///< A smaller reservation is of no use.

  AddressSpace() = default;
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;
  ~AddressSpace();

  /// Reserves `size` bytes of addresses, a multiple of a chunk. If the system refuses (ulimit -v),
  /// the size is halved until the system agrees, down to `least`. False: the system refused all
  /// sizes. Call it at most once.
  bool reserve(Bytes size, Bytes least) noexcept;

  /// Maps bytes [file_offset + at, file_offset + at + bytes) of the file to base() + at. All
  /// numbers are multiples of a chunk. False: the system refused, and the range stays inaccessible.
  bool show(int file, Bytes file_offset, Bytes at, Bytes bytes, Mapping::Access access) noexcept;

  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] Bytes size() const noexcept { return size_; }

 private:
  std::byte* base_ = nullptr;
  Bytes size_ = 0;
};

}  // namespace heddle::transport
