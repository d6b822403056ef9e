// mpi/process/numbers.hpp: counts and displacements, int or large, on their way in from the program and out to the host.
// Includes host.hpp, engine/arguments.hpp.
//
//   const Numbers counts(recvcounts);              // int*, MPI_Count* or MPI_Aint*
//   HEDDLE_CALL_HOST(wide, Alltoallv, sent, counts, ...)     // PMPI_Alltoallv, or PMPI_Alltoallv_c if `wide`
#pragma once

#include <cstdint>

#include "engine/arguments.hpp"
#include "layout/bytes.hpp"
#include "mpi/process/host.hpp"

/// Done: what PMPI_<name> returned, or PMPI_<name>_c if `wide`; nothing if the host has no such procedure.
#define HEDDLE_CALL_HOST(wide, name, ...)                                                                \
  (!(wide)           ? ::heddle::mpi::Done(::heddle::mpi::Raised::by_host(PMPI_##name(__VA_ARGS__)))     \
   : PMPI_##name##_c ? ::heddle::mpi::Done(::heddle::mpi::Raised::by_host(PMPI_##name##_c(__VA_ARGS__))) \
                     : ::heddle::mpi::Done())

namespace heddle::mpi {

/// An error code of which an error handler has heard; or MPI_SUCCESS. A code of the host's is one, and so is a code that
/// communicators::raise() has raised. Nothing else is: an error that Heddle finds reaches the program only through raise().
class Raised {
 public:
  constexpr Raised() noexcept = default;
  /// @param result  Of a procedure of the host.
  [[nodiscard]] static constexpr Raised by_host(int result) noexcept { return Raised(result); }
  /// @param result  Of a handler that communicators::raise() has called.
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

/// The MPI error code of a call that Heddle has carried out, raised, or nothing if it is for the host. An optional int in one
/// word: so it travels in a register, where std::optional goes through memory, is read in one piece after it was written in
/// two, and costs as much as all the rest of a short call.
class Done {
 public:
  constexpr Done() noexcept = default;
  constexpr Done(Raised code) noexcept : word_(int{code}) {}  // NOLINT(google-explicit-constructor): as that
  constexpr explicit operator bool() const noexcept { return word_ != nothing; }
  constexpr Raised operator*() const noexcept { return Raised::by_host(static_cast<int>(word_)); }
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

}  // namespace heddle::mpi
