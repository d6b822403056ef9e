// engine/window/mapped_files.hpp: the files that this process has mapped for reading and writing,
// together with other processes. MPI libraries put the windows of a node's ranks into such a file.
//
//   const FilePlace mine = MappedFiles::of_process().place_of(base, bytes);  // tell it to a peer, which asks:
//   std::byte* theirs = MappedFiles::of_process().address_of(place, bytes);  // null: not mapped here
//
// A file has the same device and inode in all processes of one kernel. A place stays valid while
// at least one process keeps the file mapped.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "layout/bytes.hpp"

namespace heddle::engine {

using layout::Bytes;

/// An offset in a file, whatever its name.
struct FilePlace {
  std::uint64_t device = 0;
  std::uint64_t inode = 0;  ///< 0: no place.
  Bytes offset = 0;

  explicit operator bool() const noexcept { return inode != 0; }
  bool operator==(const FilePlace&) const = default;
};

class MappedFiles {
 public:
  /// Reads /proc/self/maps. Empty if the system does not show it. Throws std::bad_alloc.
  static MappedFiles of_process();
  /// @param maps  Lines as in /proc/self/maps.
  explicit MappedFiles(std::string_view maps);

  /// False: the memory at this address belongs to this process alone. Asks the system about one
  /// page, which is faster than a list of all mappings. Both answers may be wrong: a page that is
  /// not there yet looks private, and a page of a file that is mapped privately looks shared.
  [[nodiscard]] static bool looks_shared(const void* address) noexcept;

  /// No place: some of the bytes are not in a shared mapping, or bytes <= 0.
  [[nodiscard]] FilePlace place_of(const void* address, Bytes bytes) const noexcept;
  /// Null: some of the bytes at this place are not mapped here in one piece.
  [[nodiscard]] std::byte* address_of(const FilePlace& place, Bytes bytes) const noexcept;

 private:
  struct Piece {
    std::uintptr_t begin = 0, end = 0;
    FilePlace place;
    [[nodiscard]] Bytes bytes() const noexcept { return static_cast<Bytes>(end - begin); }
  };
  std::vector<Piece> pieces_;  // in order of address; pieces that continue each other are one
};

/// A second mapping of memory that this process shares with others. It stays when the program ends
/// the first mapping.
class SecondMapping {
 public:
  SecondMapping(std::byte* address, Bytes bytes) noexcept;
  SecondMapping(SecondMapping&& other) noexcept;
  SecondMapping& operator=(SecondMapping&& other) = delete;
  ~SecondMapping();

  /// The address of the same bytes. Null: the system has refused.
  [[nodiscard]] std::byte* address() const noexcept { return pages_ ? pages_ + skipped_ : nullptr; }

 private:
  std::size_t skipped_;  // bytes of the first page that lie before the address
  std::size_t bytes_;    // of the pages
  std::byte* pages_ = nullptr;
};

}  // namespace heddle::engine
