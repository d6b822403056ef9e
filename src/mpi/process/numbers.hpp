// mpi/process/numbers.hpp: counts and displacements, int or large, as the program gives them and as
// the host takes them.
//
//   const Numbers counts(recvcounts);              // int*, MPI_Count* or MPI_Aint*
//   HEDDLE_CALL_HOST(wide, Alltoallv, sent, counts, ...)     // PMPI_Alltoallv, or PMPI_Alltoallv_c if `wide`
#pragma once

#include <cstdint>

#include "engine/base/arguments.hpp"
#include "layout/bytes.hpp"
#include "mpi/process/host.hpp"

/// Calls PMPI_<name>, or PMPI_<name>_c if `wide`. Gives a Done with the result. It is empty if the
/// host has no such procedure.
#define HEDDLE_CALL_HOST(wide, name, ...)                                                                \
  (!(wide)           ? ::heddle::mpi::Done(::heddle::mpi::Raised::by_host(PMPI_##name(__VA_ARGS__)))     \
   : PMPI_##name##_c ? ::heddle::mpi::Done(::heddle::mpi::Raised::by_host(PMPI_##name##_c(__VA_ARGS__))) \
                     : ::heddle::mpi::Done())

namespace heddle::mpi {

/// MPI_SUCCESS, or an error code that an error handler has heard of. Such codes come from the host
/// or from communicators::raise(). Errors that Heddle itself finds reach the program only through
/// communicators::raise().
class Raised {
 public:
  constexpr Raised() noexcept = default;
  /// @param result  The result of a procedure of the host.
  [[nodiscard]] static constexpr Raised by_host(int result) noexcept { return Raised(result); }
  /// @param result  The result of communicators::raise().
  [[nodiscard]] static constexpr Raised by_heddle(int result) noexcept { return Raised(result); }
  constexpr operator int() const noexcept { return code_; }  // NOLINT(google-explicit-constructor): a call returns it

 private:
  explicit constexpr Raised(int code) noexcept : code_(code) {}
  int code_ = MPI_SUCCESS;
};

using engine::displaced;
using engine::fits;
using engine::Handed;
using engine::Number;
using engine::Numbers;
using layout::Bytes;
using layout::Count;

/// The result of a call that Heddle has carried out: MPI_SUCCESS, or an MPI error code that has
/// been raised. Empty: the call is for the host. A Done is an optional int in one word, so it
/// travels in a register. A std::optional travels through memory, is written in two pieces and read
/// in one. That costs as much as the rest of a short call.
class Done {
 public:
  constexpr Done() noexcept = default;
  constexpr Done(Raised code) noexcept : word_(int{code}) {}  // NOLINT(google-explicit-constructor): as in Raised
  constexpr explicit operator bool() const noexcept { return word_ != nothing; }
  constexpr Raised operator*() const noexcept { return Raised::by_host(static_cast<int>(word_)); }
  /// That code; if there is none, the result of `host`.
  template <class Host>
  int or_call(const Host& host) const {
    return *this ? **this : host();
  }
  friend constexpr bool operator==(Done done, int code) noexcept { return done.word_ == code; }

 private:
  static constexpr std::int64_t nothing = std::int64_t{1} << 32;
  std::int64_t word_ = nothing;
};

}  // namespace heddle::mpi
