// threads/staging_pool.hpp: staging buffers for messages. They are kept between calls, so that a
// warm call allocates nothing.
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

  /// A buffer of at least `size` bytes, aligned to a page (or, if it is large, to a huge page).
  /// Null: memory is short. give() needs `list`.
  std::byte* take(layout::Bytes size, int& list) noexcept;
  void give(std::byte* buffer, int list) noexcept;

  /// Sets a limit, in bytes, for all buffers together. Beyond it, buffers that are not in use are
  /// freed.
  void keep_at_most(layout::Bytes limit) noexcept;
  /// Frees all buffers that are not in use.
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

/// A buffer for the length of a call. Short buffers are on the stack.
class StagingBuffer {
 public:
  static constexpr layout::Bytes on_stack = 2048;

  StagingBuffer() = default;
  StagingBuffer(const StagingBuffer&) = delete;
  StagingBuffer& operator=(const StagingBuffer&) = delete;
  ~StagingBuffer() {
    if (data_ && data_ != small_) Pool::of_process().give(data_, list_);
  }

  /// Call it at most once. False: memory is short.
  [[nodiscard]] bool reserve(layout::Bytes size) noexcept {
    data_ = size <= on_stack ? small_ : Pool::of_process().take(size, list_);
    return data_ != nullptr;
  }
  [[nodiscard]] std::byte* data() const noexcept { return data_; }
  /// True if it has more than on_stack bytes.
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
