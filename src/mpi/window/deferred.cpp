// mpi/window/deferred.cpp
#include "mpi/window/deferred.hpp"

#include <exception>
#include <mutex>
#include <optional>

#include "mpi/types/entry.hpp"

namespace heddle::mpi {
namespace {

/// Replaces a derived type by a copy, and says so in `is`. False: the host has refused.
bool copied(MPI_Datatype& type, bool& is) noexcept {
  MPI_Datatype copy = MPI_DATATYPE_NULL;
  if (!known(type)) return true;
  if (PMPI_Type_dup(type, &copy) != MPI_SUCCESS) return false;
  type = copy;
  return is = true;
}

}  // namespace

Deferred::~Deferred() {
  forget();
  node_.shared().release(lists_);
}

bool Deferred::defer(Move move, const Buffer& origin, const AtTarget& target,
                     engine::DeferredAccesses::Access access) noexcept {
  Given given{move, origin, target};
  const bool kept = copied(given.origin.type, given.origin_copied) && copied(given.target.type, given.target_copied) &&
                    keep(given, access.number);
  if (!kept) given.free_copies();
  return kept && all_.defer(access);
}

/// False: no memory.
bool Deferred::keep(const Given& given, std::size_t& number) noexcept try {
  const std::lock_guard guard(lock_);
  given_.push_back(given);
  number = given_.size() - 1;
  return true;
} catch (const std::exception&) {
  return false;
}

void Deferred::Given::free_copies() noexcept {
  if (origin_copied) PMPI_Type_free(&origin.type);
  if (target_copied) PMPI_Type_free(&target.type);
}

void Deferred::to_host(const Given& given, MPI_Win win, int& error) const {
  // An epoch defers far fewer bytes than an int can count.
  const auto count = static_cast<int>(given.origin.count);
  const auto target_count = static_cast<int>(given.target.count);
  const auto& [rank, displacement, unused, type] = given.target;
  const int result = given.move == Move::put
                         ? PMPI_Put(given.origin.address, count, given.origin.type, rank, displacement, target_count, type, win)
                         : PMPI_Get(const_cast<void*>(given.origin.address), count, given.origin.type, rank, displacement,
                                    target_count, type, win);
  if (error == MPI_SUCCESS) error = result;
}

void Deferred::forget() noexcept {
  const std::lock_guard guard(lock_);
  for (Given& each : given_) each.free_copies();
  given_.clear();
}

Deferred::Block Deferred::allocate(Bytes bytes) noexcept {
  auto* const address = static_cast<std::byte*>(node_.shared().allocate(bytes));
  if (!address) return {};
  if (const std::optional<transport::Place> place = node_.shared().find(address, bytes)) return {address, *place};
  node_.shared().release(address);
  return {};
}

}  // namespace heddle::mpi
