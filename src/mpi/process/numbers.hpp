// mpi/process/numbers.hpp: counts and displacements, int or large, on their way in from the program and out to the host.
// Includes host.hpp, engine/arguments.hpp.
//
//   const Numbers counts(recvcounts);              // int*, MPI_Count* or MPI_Aint*
//   HEDDLE_CALL_HOST(!fits(n), Send, data, Number{n}, MPI_BYTE, dest, tag, comm)     // PMPI_Send, or PMPI_Send_c if n is large
#pragma once

#include <cstdint>

#include "engine/arguments.hpp"
#include "layout/bytes.hpp"
#include "mpi/process/host.hpp"

/// Done: what PMPI_<name> returned, or PMPI_<name>_c if `wide`; nothing if the host has no such procedure.
#define HEDDLE_CALL_HOST(wide, name, ...)                                \
  (!(wide)           ? ::heddle::mpi::Done(PMPI_##name(__VA_ARGS__))     \
   : PMPI_##name##_c ? ::heddle::mpi::Done(PMPI_##name##_c(__VA_ARGS__)) \
                     : ::heddle::mpi::Done())

namespace heddle::mpi {

using engine::displaced;
using engine::fits;
using engine::Handed;
using engine::Number;
using engine::Numbers;
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

}  // namespace heddle::mpi
