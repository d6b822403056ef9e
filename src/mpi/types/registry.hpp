// mpi/types/registry.hpp: when a datatype becomes Heddle's, and when it ceases to be. Includes entry.hpp, handles.hpp.
//
//   const Derived type(sendtype);
//   if (!type) return PMPI_Send(...);            // predefined, unknown, or better left to the host
//   layout::pack(type->layout(), count, ...);    // the entry lives as long as `type`, also if another thread frees the handle
#pragma once

#include <utility>

#include "mpi/types/entry.hpp"
#include "mpi/types/handles.hpp"

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
class Derived {
 public:
  Derived() = default;
  explicit Derived(MPI_Datatype type) noexcept : entry_(table.find(type)) {
    if (entry_) take(type);
  }
  /// Of an entry that is ready().
  static Derived use(Entry& entry) noexcept {
    entry.retain();
    return Derived(static_cast<const Entry*>(&entry));
  }
  /// Takes over what hold_any() has given.
  explicit Derived(const Entry* held) noexcept : entry_(const_cast<Entry*>(held)) {}
  Derived(Derived&& other) noexcept : entry_(std::exchange(other.entry_, nullptr)) {}
  Derived& operator=(Derived&& other) noexcept {
    std::swap(entry_, other.entry_);
    return *this;
  }
  ~Derived() {
    if (entry_) entry_->release();
  }

  /// The same type in one more use, whatever has become of its handle.
  [[nodiscard]] Derived again() const noexcept {
    Derived copy;
    copy.entry_ = entry_;
    if (entry_) entry_->retain();
    return copy;
  }

  explicit operator bool() const noexcept { return entry_ != nullptr; }
  const Entry* operator->() const noexcept { return entry_; }
  [[nodiscard]] const Entry* get() const noexcept { return entry_; }

 private:
  void take(MPI_Datatype type) noexcept {
    if (entry_->ready(type))
      entry_->retain();
    else
      entry_ = nullptr;
  }

  Entry* entry_ = nullptr;
};

}  // namespace heddle::mpi
