// engine/base/arguments.hpp: buffer arguments of MPI procedures, with int or large counts. The
// template parameter Type is the library's datatype handle.
//
//   const VArgument<MPI_Datatype> send{sendbuf, sendcounts, sdispls, sendtype};     // MPI_Alltoallv's, MPI_Alltoallv_c's
//   for (int i = 0; i < ranks; ++i) total += send.counts[i];
#pragma once

#include <climits>
#include <concepts>
#include <cstddef>

#include "layout/bytes.hpp"

namespace heddle::engine {

/// The address so many bytes behind a buffer argument, which may be MPI_BOTTOM.
inline const void* displaced(const void* address, layout::Bytes bytes) {
  return static_cast<const std::byte*>(address) + bytes;
}

/// True: `n` fits into int.
inline bool fits(layout::Count n) { return n >= INT_MIN && n <= INT_MAX; }

/// A count that converts to the integer type of a procedure's parameter. The caller has checked
/// that it fits.
struct Number {
  layout::Count value;
  template <std::signed_integral Integer>
  operator Integer() const {  // NOLINT(google-explicit-constructor)
    return static_cast<Integer>(value);
  }
};

/// An array of the program, read as 64-bit numbers.
class Numbers {
 public:
  using Count = layout::Count;

  Numbers() = default;
  template <class Integer>
  Numbers(const Integer* values) : values_(values), wide_(sizeof(Integer) == sizeof(Count)) {  // NOLINT
    static_assert(sizeof(Integer) == sizeof(int) || sizeof(Integer) == sizeof(Count));
  }
  Count operator[](int i) const {
    if (!wide_) return static_cast<const int*>(values_)[i];
    Count value = 0;  // MPI_Count and MPI_Aint may be long or long long
    __builtin_memcpy(&value, static_cast<const std::byte*>(values_) + sizeof(Count) * static_cast<std::size_t>(i),
                     sizeof value);
    return value;
  }
  [[nodiscard]] const void* array() const { return values_; }

 private:
  const void* values_ = nullptr;
  bool wide_ = false;
};

/// An array for the library: 64-bit numbers while it is made, then ints if narrow() was called.
class Handed {
 public:
  using Count = layout::Count;

  Handed() = default;
  Handed(Count* values, int size) : values_(values), size_(size) {}
  Count& operator[](int i) { return values_[i]; }
  [[nodiscard]] Count at(int i) const { return values_[i]; }

  [[nodiscard]] bool fit() const {
    for (int i = 0; i < size_; ++i)
      if (!fits(values_[i])) return false;
    return true;
  }
  /// Works in place: entry i moves to half its offset, so no entry overwrites an entry that is
  /// still needed.
  void narrow() {
    auto* bytes = reinterpret_cast<std::byte*>(values_);
    for (int i = 0; i < size_; ++i) {
      const int value = static_cast<int>(values_[i]);
      __builtin_memcpy(bytes + sizeof(int) * static_cast<std::size_t>(i), &value, sizeof value);
    }
  }
  template <class Integer>
  operator const Integer*() const {  // NOLINT(google-explicit-constructor)
    return reinterpret_cast<const Integer*>(values_);
  }

 private:
  Count* values_ = nullptr;
  int size_ = 0;
};

/// A buffer argument: `count` elements of `type` (or, for collectives, as many for each rank).
template <class Type>
struct Buffer {
  const void* address;
  layout::Count count;
  Type type;
};

/// A buffer argument of the v procedures: for rank i counts[i] elements of `type` at
/// displacements[i] extents.
template <class Type>
struct VArgument {
  const void* address;
  Numbers counts, displacements;
  Type type;
};

/// A buffer argument of the w procedures: types differ, displacements are in bytes.
template <class Type>
struct WArgument {
  const void* address;
  Numbers counts, displacements;
  const Type* types;
};

/// True: none of its arrays is null.
template <class Type>
bool whole(const Buffer<Type>& /*data*/) noexcept {
  return true;
}
template <class Type>
bool whole(const VArgument<Type>& data) noexcept {
  return data.counts.array() && data.displacements.array();
}
template <class Type>
bool whole(const WArgument<Type>& data) noexcept {
  return data.counts.array() && data.displacements.array() && data.types;
}

}  // namespace heddle::engine
