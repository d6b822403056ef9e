// bench/common/memory.cpp: see memory.hpp.
#include "common/memory.hpp"

#include <heddle/heddle.h>
#include <mpi.h>

#include <cstdlib>
#include <cstring>
#include <new>
#include <utility>

namespace heddle::bench {

constexpr std::size_t page = 4096;

Memory::Memory(std::size_t bytes, Origin origin) : bytes_{(bytes + page - 1) / page * page}, origin_{origin} {
  if (origin == Origin::malloc)
    data_ = static_cast<std::byte*>(std::aligned_alloc(page, bytes_));
  else if (origin == Origin::heddle_alloc)
    data_ = static_cast<std::byte*>(heddle_alloc(bytes_));
  else
    PMPI_Alloc_mem(static_cast<MPI_Aint>(bytes_), MPI_INFO_NULL, &data_);
  if (data_ == nullptr) throw std::bad_alloc{};
  std::memset(data_, 1, bytes_);
}

Memory::~Memory() {
  if (data_ == nullptr) return;
  if (origin_ == Origin::malloc)
    std::free(data_);
  else if (origin_ == Origin::heddle_alloc)
    heddle_free(data_);
  else
    PMPI_Free_mem(data_);
}

Memory::Memory(Memory&& other) noexcept
    : data_{std::exchange(other.data_, nullptr)}, bytes_{other.bytes_}, origin_{other.origin_} {}

Memory& Memory::operator=(Memory&& other) noexcept {
  std::swap(data_, other.data_);
  std::swap(bytes_, other.bytes_);
  std::swap(origin_, other.origin_);
  return *this;
}

}  // namespace heddle::bench
