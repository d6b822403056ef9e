// transport/xpmem/libxpmem.hpp: the functions of libxpmem, loaded when they are needed. Heddle
// builds and runs without the library. Types and constants are those of its header, xpmem.h.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>

namespace heddle::transport::xpmem {

/// The argument of xpmem_attach().
struct Address {
  std::int64_t permit;  ///< From xpmem_get().
  off_t offset;         ///< In the segment. Heddle's segments begin at address 0.
};

constexpr std::size_t all_memory = static_cast<std::size_t>(-1);  // XPMEM_MAXADDR_SIZE
constexpr int read_write = 2;   // XPMEM_RDWR. The kernel module attaches no memory that is got otherwise.
constexpr int permit_mode = 1;  // XPMEM_PERMIT_MODE
constexpr std::size_t owner_only = 0600;

struct Library {
  int (*version)() = nullptr;
  std::int64_t (*make)(void* begin, std::size_t size, int permit_type, void* permit) = nullptr;
  int (*remove)(std::int64_t segment) = nullptr;
  std::int64_t (*get)(std::int64_t segment, int flags, int permit_type, void* permit) = nullptr;
  int (*release)(std::int64_t permit) = nullptr;
  void* (*attach)(Address from, std::size_t size, void* at) = nullptr;
  int (*detach)(void* address) = nullptr;
};

/// Null: there is no library with all these functions.
const Library* library() noexcept;

}  // namespace heddle::transport::xpmem
