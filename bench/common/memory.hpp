// bench/common/memory.hpp: page-aligned memory from malloc, from heddle_alloc or from MPI's
// allocator. It is written once, so that its pages exist.
//
//   Memory matrix{1 << 20, Origin::heddle_alloc};   // under Heddle: memory that peers can map
#pragma once

#include <cstddef>
#include <memory>

namespace heddle::bench {

enum class Origin {
  malloc,
  heddle_alloc,   ///< heddle_alloc of heddle/heddle.h
  host_alloc_mem  ///< PMPI_Alloc_mem
};

class Memory {
 public:
  /// Throws std::bad_alloc.
  Memory(std::size_t bytes, Origin origin);
  ~Memory();
  Memory(Memory&& other) noexcept;
  Memory& operator=(Memory&& other) noexcept;

  std::byte* data() const { return data_; }
  std::size_t size() const { return bytes_; }
  template <class T>
  T* as() const {
    return reinterpret_cast<T*>(data_);
  }

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  Origin origin_ = Origin::malloc;
};

}  // namespace heddle::bench
