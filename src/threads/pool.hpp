// threads/pool.hpp: buffers that messages are packed into, kept between calls so that a warm call
// allocates nothing.
//
//   StagingBuffer packed;
//   if (!packed.reserve(bytes)) return native();   // no memory
//   layout::pack(type, count, buffer, packed.data());
#pragma once

#include <array>
#include <cstddef>
#include <mutex>

#include "layout/bytes.hpp"

namespace heddle::threads {

/// Free lists of buffers, one for each power of two from 4 KiB.
class Pool {
 public:
  static Pool& of_process() noexcept;

  /// At least `size` bytes, aligned to a page (huge ones to a huge page), or null. `list` is what give() needs.
  std::byte* take(layout::Bytes size, int& list) noexcept;
  void give(std::byte* buffer, int list) noexcept;

  /// Buffers that are not in use are freed rather than kept if all buffers together are more. Bytes.
  void keep_at_most(layout::Bytes limit) noexcept;
  /// Frees all that is not in use.
  void clear() noexcept;

 private:
  static constexpr int smallest = 12;  // log2
  static constexpr int largest = 47;
  struct Free {
    Free* next;
  };

  std::mutex lock_;
  std::array<Free*, largest - smallest + 1> free_{};
  layout::Bytes owned_ = 0;
  layout::Bytes limit_ = layout::Bytes{1} << 30;
};

/// One buffer for the length of a call; short ones are on the stack.
class StagingBuffer {
 public:
  static constexpr layout::Bytes on_stack = 2048;

  StagingBuffer() = default;
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;
  ~StagingBuffer() {
    if (data_ && data_ != small_) Pool::of_process().give(data_, list_);
  }

  /// False if there is no memory. At most once.
  [[nodiscard]] bool reserve(layout::Bytes size) noexcept {
    data_ = size <= on_stack ? small_ : Pool::of_process().take(size, list_);
    return data_ != nullptr;
  }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /// More than on_stack.
  [[nodiscard]] bool large() const noexcept { return data_ && data_ != small_; }

 private:
  std::byte* data_ = nullptr;
  int list_ = 0;
  alignas(64) std::byte small_[on_stack];
};

/// An array for the length of a call.
template <class T>
class Scratch {
 public:
  explicit Scratch(int n) noexcept
      : data_(
            bytes_.reserve(static_cast<layout::Bytes>(sizeof(T)) * n)  // NOLINT(bugprone-sizeof-expression): pointers are meant
                ? reinterpret_cast<T*>(bytes_.data())
                : nullptr) {}
  explicit operator bool() const { return data_ != nullptr; }
  T& operator[](int i) { return data_[i]; }
  T* get() { return data_; }

 private:
  StagingBuffer bytes_;
  T* data_;
};

}  // namespace heddle::threads
