// mpi/types/registry.hpp: when a datatype becomes Heddle's, and when it ceases to be. Includes entry.hpp, handles.hpp,
// threads/held.hpp.
//
//   const Derived type(sendtype);
//   if (!type) return PMPI_Send(...);            // predefined, unknown, or better left to the host
//   layout::pack(type->layout(), count, ...);    // the entry lives as long as `type`, also if another thread frees the handle
#pragma once

#include "mpi/types/entry.hpp"
#include "mpi/types/handles.hpp"
#include "threads/held.hpp"

namespace heddle::mpi {

/// The program has committed `type`. Predefined types, and all types while Heddle is off, are ignored. False: no memory. Then
/// the type must not be used: a receive of a type that Heddle does not know could take a descriptor for data.
bool committed(MPI_Datatype type) noexcept;

/// `copy` is a duplicate of `type`. False as above.
bool duplicated(MPI_Datatype type, MPI_Datatype copy) noexcept;

/// Before the host's last MPI_Finalize or MPI_Session_finalize: from here on everything is native.
void forget_types() noexcept;

/// The entry of any datatype, predefined ones included, held for the caller: release() it. Null if the type is one that
/// Heddle has not seen committed, or leaves to the host. For calls that mix derived and predefined types.
const Entry* hold_any(MPI_Datatype type) noexcept;

/// A datatype in use by a call.
class Derived : public threads::Held<const Entry> {
 public:
  Derived() = default;
  explicit Derived(MPI_Datatype type) noexcept : Held(ready(table.find(type), type)) {}
  /// Of an entry that is ready().
  static Derived use(const Entry& entry) noexcept { return Derived(Held(&entry)); }
  /// Takes over what hold_any() has given.
  explicit Derived(const Entry* held) noexcept : Held(taken(held)) {}
  /// The same type in one more use, whatever has become of its handle.
  [[nodiscard]] Derived again() const noexcept { return *this; }

 private:
  explicit Derived(Held held) noexcept : Held(std::move(held)) {}
  static const Entry* ready(Entry* entry, MPI_Datatype type) noexcept { return entry ? entry->ready(type) : nullptr; }
};

}  // namespace heddle::mpi
