// transport/region.hpp: memory that has no name: a memfd, and a mapping of a part of it.
//
//   Descriptor file;
//   if (int error = create_memory(bytes, file)) ...          // sparse: pages come with use
//   Mapping mine;
//   if (int error = mine.map(file.get(), 0, bytes, Mapping::Access::write)) ...
//   mine.base()[0] = ...;
//
// A memfd is in no file system: when the last process that holds it is gone, however it ended, the memory is gone.
// No function throws; errors are errno values, 0 is success.
#pragma once

#include <cstddef>
#include <string>
#include <utility>

#include "layout/bytes.hpp"

namespace heddle::transport {

using layout::Bytes;

constexpr Bytes huge_page = Bytes{2} << 20;
Bytes page_size() noexcept;
constexpr Bytes round_up(Bytes value, Bytes to) noexcept { return (value + to - 1) / to * to; }

/// "EPERM", as one would look it up.
std::string error_name(int error);

/// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int fd) noexcept : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() { close(); }

  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }
  void close() noexcept;

 private:
  int fd_ = -1;
};

/// Owns a shared mapping of a part of a file.
class Mapping {
 public:
  enum class Access { none, read, write };

  Mapping() = default;
  Mapping(Mapping&& other) noexcept : base_(std::exchange(other.base_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  Mapping& operator=(Mapping&& other) noexcept {
    std::swap(base_, other.base_);
    std::swap(size_, other.size_);
    return *this;
  }
  Mapping(const Mapping&) = delete;
  Mapping& operator=(const Mapping&) = delete;
  ~Mapping() { unmap(); }

  /// Maps `size` bytes from `offset`, both multiples of the page size. Large ones begin where huge pages can (when the offset
  /// does), huge pages are advised, and a core dump leaves them out: it would bring every page of a sparse file into being.
  /// mlockall() leaves a mapping with Access::none out, too, until open_memory().
  int map(int file, Bytes offset, Bytes size, Access access) noexcept;
  void unmap() noexcept;

  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] Bytes size() const noexcept { return size_; }

 private:
  std::byte* base_ = nullptr;
  Bytes size_ = 0;
};

/// What ulimit -f allows, bytes.
Bytes largest_file() noexcept;

/// A sparse memfd of `size` bytes that can neither shrink (a peer would die of SIGBUS) nor grow. EFBIG: more than ulimit -f.
int create_memory(Bytes size, Descriptor& file) noexcept;

/// Whether `file` is what create_memory made: its size at least `size`, sealed against shrinking. EBADF, EINVAL, EPERM.
int check_memory(int file, Bytes size) noexcept;

/// Makes [base, base + size) of a mapping accessible, rounded to pages. False: refused.
[[nodiscard]] bool open_memory(std::byte* base, Bytes size) noexcept;
/// Brings the pages of [base, base + size) into being, what they hold stays. Whole 2 MiB become huge pages where the kernel
/// has them: 95 us each, against 1190 us for the 512 small ones, and every peer then enters them with one fault.
/// False: there is no memory for all of it, and touching the rest would be SIGBUS.
[[nodiscard]] bool prefault_owned(std::byte* base, Bytes size) noexcept;
/// The same with small pages. For memory that grows while ranks work: making huge pages drains the lists of all processors,
/// which on a crowded node takes longer than all the small faults.
[[nodiscard]] bool populate_owned(std::byte* base, Bytes size) noexcept;
/// Opens the memory first.
[[nodiscard]] bool open_owned(std::byte* base, Bytes size) noexcept;
/// Gives the pages of [base, base + size) back to the system, for this process and all that map them; what they held is lost.
/// Best effort.
void release_owned(std::byte* base, Bytes size) noexcept;
/// Makes whole 2 MiB of [base, base + size) huge pages, none where the kernel has none; the rest is left to first use.
void make_huge(std::byte* base, Bytes size) noexcept;
/// Enters pages that the owner has brought into being into this process's page table. Best effort.
void prefault_mapped(std::byte* base, Bytes size) noexcept;

}  // namespace heddle::transport
