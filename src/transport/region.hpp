// transport/region.hpp: memory without a name: a memfd, and a mapping of a part of it.
//
//   Descriptor file;
//   if (int error = create_memory(bytes, file)) ...          // sparse: pages come with use
//   Mapping mine;
//   if (int error = mine.map(file.get(), 0, bytes, Mapping::Access::write)) ...
//   mine.base()[0] = ...;
//
// A memfd is in no file system. Its memory is freed when the last process that holds it ends, even
// if that process is killed. No function throws. Errors are errno values; 0 is success.
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

/// The name of an errno value: "EPERM".
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

  /// Maps `size` bytes from `offset`, both multiples of the page size. A large mapping is aligned
  /// so that it can have huge pages (if the offset allows them), and asks for them. Core dumps
  /// leave the mapping out: a dump would bring every page of a sparse file into being. With
  /// Access::none, mlockall() does not lock the mapping either, until open_memory().
  int map(int file, Bytes offset, Bytes size, Access access) noexcept;
  void unmap() noexcept;

  [[nodiscard]] std::byte* base() const noexcept { return base_; }
  [[nodiscard]] Bytes size() const noexcept { return size_; }

 private:
  std::byte* base_ = nullptr;
  Bytes size_ = 0;
};

/// The limit of ulimit -f, bytes.
Bytes largest_file() noexcept;

/// Makes a sparse memfd of `size` bytes that can neither shrink (a peer would die of SIGBUS) nor
/// grow. EFBIG: more than ulimit -f.
int create_memory(Bytes size, Descriptor& file) noexcept;

/// Checks that `file` is a file of create_memory(): at least `size` bytes, sealed against
/// shrinking. EBADF, EINVAL, EPERM.
int check_memory(int file, Bytes size) noexcept;

/// Makes [base, base + size) of a mapping accessible, rounded to pages. False: refused.
[[nodiscard]] bool open_memory(std::byte* base, Bytes size) noexcept;
/// Brings the pages of [base, base + size) into being and keeps their contents. Whole 2 MiB become
/// huge pages if the kernel has them. A huge page takes 95 us, 512 small pages take 1190 us, and
/// every peer then maps a huge page with one fault. False: there is not enough memory, and touching
/// the rest would raise SIGBUS.
[[nodiscard]] bool prefault_owned(std::byte* base, Bytes size) noexcept;
/// Like prefault_owned(), with small pages. It is for memory that grows while ranks work: to make
/// huge pages the kernel drains lists of all processors. On a crowded node that takes longer than
/// all the small faults.
[[nodiscard]] bool populate_owned(std::byte* base, Bytes size) noexcept;
/// open_memory(), then populate_owned().
[[nodiscard]] bool open_owned(std::byte* base, Bytes size) noexcept;
/// Gives the pages of [base, base + size) back to the system, for all processes that map them.
/// Their contents are lost. Best effort.
void release_owned(std::byte* base, Bytes size) noexcept;
/// Makes whole 2 MiB of [base, base + size) huge pages, if the kernel has any. The rest is left to
/// first use.
void make_huge(std::byte* base, Bytes size) noexcept;
/// Maps pages that the owner has brought into being, so that this process takes no faults on them.
/// Best effort.
void prefault_mapped(std::byte* base, Bytes size) noexcept;

}  // namespace heddle::transport
