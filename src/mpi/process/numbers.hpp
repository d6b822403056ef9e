// mpi/process/numbers.hpp: counts and displacements, int or large, on their way in from the program and out to the host.
// Includes host.hpp, layout/bytes.hpp.
//
//   const Numbers counts(recvcounts);              // int*, MPI_Count* or MPI_Aint*
//   HEDDLE_CALL_HOST(!fits(n), Send, data, Number{n}, MPI_BYTE, dest, tag, comm)     // PMPI_Send, or PMPI_Send_c if n is large
#pragma once

#include <climits>
#include <cstdint>

#include "layout/bytes.hpp"
#include "mpi/process/host.hpp"

/// Done: what PMPI_<name> returned, or PMPI_<name>_c if `wide`; nothing if the host has no such procedure.
#define HEDDLE_CALL_HOST(wide, name, ...)                                \
  (!(wide)           ? ::heddle::mpi::Done(PMPI_##name(__VA_ARGS__))     \
   : PMPI_##name##_c ? ::heddle::mpi::Done(PMPI_##name##_c(__VA_ARGS__)) \
                     : ::heddle::mpi::Done())

namespace heddle::mpi {

using layout::Bytes;
using layout::Count;

/// The MPI error code of a call that Heddle has carried out, or nothing if it is for the host. An optional int in one word: so
/// it travels in a register, where std::optional goes through memory, is read in one piece after it was written in two, and
/// costs as much as all the rest of a short call.
class Done {
 public:
  constexpr Done() noexcept = default;
  constexpr Done(int code) noexcept : word_(code) {}  // NOLINT(google-explicit-constructor): as that
  constexpr explicit operator bool() const noexcept { return word_ != nothing; }
  constexpr int operator*() const noexcept { return static_cast<int>(word_); }
  [[nodiscard]] constexpr int value_or(int other) const noexcept { return *this ? **this : other; }
  /// That code, or what the host returns.
  template <class Host>
  int or_call(const Host& host) const {
    return *this ? **this : host();
  }
  friend constexpr bool operator==(Done done, int code) noexcept { return done.word_ == code; }

 private:
  static constexpr std::int64_t nothing = std::int64_t{1} << 32;
  std::int64_t word_ = nothing;
};

/// So many bytes behind a buffer argument, be it MPI_BOTTOM.
inline const void* displaced(const void* address, Bytes bytes) { return static_cast<const std::byte*>(address) + bytes; }

inline bool fits(Count n) { return n >= INT_MIN && n <= INT_MAX; }

/// A count that becomes what the procedure it is handed to takes. The caller has seen to it that it fits.
struct Number {
  Count value;
  operator int() const { return static_cast<int>(value); }              // NOLINT(google-explicit-constructor)
  operator MPI_Count() const { return static_cast<MPI_Count>(value); }  // NOLINT(google-explicit-constructor)
};

/// An array of the program, read as 64-bit numbers.
class Numbers {
 public:
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

/// An array for the host: 64-bit numbers while it is made, then ints if narrow() was called.
class Handed {
 public:
  Handed() = default;
  Handed(Count* values, int size) : values_(values), size_(size) {}
  Count& operator[](int i) { return values_[i]; }
  [[nodiscard]] Count at(int i) const { return values_[i]; }

  [[nodiscard]] bool fit() const {
    for (int i = 0; i < size_; ++i)
      if (!fits(values_[i])) return false;
    return true;
  }
  /// In place: entry i moves to half its address, never onto one that is still to be read.
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

}  // namespace heddle::mpi
