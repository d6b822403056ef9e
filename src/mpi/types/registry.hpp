// mpi/types/registry.hpp: Heddle learns of a datatype when it is committed, and forgets it when it
// is freed.
//
//   const Derived type(sendtype);
//   if (!type) return PMPI_Send(...);            // predefined, unknown, or better left to the host
//   layout::pack(type->layout(), count, ...);    // the entry lives as long as `type`, also if another thread frees the handle
#pragma once

#include "mpi/types/entry.hpp"
#include "mpi/types/handles.hpp"
#include "threads/reference.hpp"

namespace heddle::mpi {

/// The program has committed `type`. Predefined types, and all types while Heddle is off, are
/// ignored. False: no memory. Then the type must not be used: a receive of a type that Heddle does
/// not know could take a descriptor for data.
bool committed(MPI_Datatype type) noexcept;

/// `copy` is a duplicate of `type`. False as above.
bool duplicated(MPI_Datatype type, MPI_Datatype copy) noexcept;

/// Before the host's last MPI_Finalize or MPI_Session_finalize. From here on, all types are left to
/// the host.
void forget_types() noexcept;

/// The entry of any datatype, predefined types included, with one use more: the caller must
/// release() it. Null: Heddle has not seen the type committed, or leaves it to the host. Calls that
/// mix derived and predefined types need this.
const Entry* hold_any(MPI_Datatype type) noexcept;

/// A datatype in use by a call.
class Derived : public threads::Reference<const Entry> {
 public:
  Derived() = default;
  explicit Derived(MPI_Datatype type) noexcept : Reference(ready(table.find(type), type)) {}
  /// One use more of an entry that is ready().
  static Derived use(const Entry& entry) noexcept { return Derived(Reference(&entry)); }
  /// Takes over the use that hold_any() has given.
  explicit Derived(const Entry* held) noexcept : Reference(taken(held)) {}
  /// One use more of the same type. Its handle may be gone by now.
  [[nodiscard]] Derived again() const noexcept { return *this; }

 private:
  explicit Derived(Reference held) noexcept : Reference(std::move(held)) {}
  static const Entry* ready(Entry* entry, MPI_Datatype type) noexcept { return entry ? entry->ready(type) : nullptr; }
};

}  // namespace heddle::mpi
