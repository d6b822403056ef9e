// mpi/window/one_sided.cpp: decides about an access, waits for permission, and copies.
#include "mpi/window/one_sided.hpp"

#include <atomic>
#include <cerrno>
#include <limits>

#include "engine/base/footprint.hpp"
#include "engine/node/block_lists.hpp"
#include "engine/node/push.hpp"
#include "layout/immortal.hpp"
#include "layout/pack.hpp"
#include "layout/transfer.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/progress.hpp"
#include "mpi/types/entry.hpp"
#include "mpi/window/window_registry.hpp"
#include "report/reporting.hpp"
#include "select/choose_one_sided.hpp"

namespace heddle::mpi {
namespace {

using engine::Permission;

/// One side of an access: its type and count, and the bytes that it touches.
struct Side {
  const Entry* type = nullptr;  ///< Null: a predefined type in one piece.
  Count count = 0;
  Bytes bytes = 0;
  Bytes low = 0, high = 0;  ///< The bytes that it touches, from its address.

  [[nodiscard]] bool in_one_piece() const { return !type || type->contiguous(count); }
  [[nodiscard]] Bytes first_byte() const { return type ? type->first_byte() : 0; }
  /// Of its blocks, bytes.
  [[nodiscard]] Bytes mean_block() const {
    const select::Statistics* const facts = in_one_piece() ? nullptr : type->statistics();
    return facts ? static_cast<Bytes>(facts->of(count).mean_block) : bytes;
  }

  /// False: Heddle does not know the type, or does not carry it. Types of long lists are carried
  /// from their second use on.
  bool look(MPI_Datatype datatype, Count elements) {
    count = elements;
    Bytes last = 0;  // the offset of the last element
    if (count <= 0) return false;
    if (Entry* const found = table.find(datatype)) {
      type = found->ready_for_message(datatype);
      if (!type || __builtin_mul_overflow(count, type->size(), &bytes) ||
          __builtin_mul_overflow(count - 1, type->extent(), &last))
        return false;
      const layout::Layout& layout = type->layout();
      constexpr Bytes most = Bytes{1} << 60;  // sums stay far from an overflow
      if (last > most || last < -most || layout.true_extent() > most || layout.true_lower_bound() > most ||
          layout.true_lower_bound() < -most)
        return false;
      const engine::Footprint touched = engine::footprint_of(layout, count);
      low = touched.low;
      high = touched.high;
      return bytes > 0;
    }
    const Predefined found = predefined(datatype);
    if (found.pair || !seen_predefined(datatype) || __builtin_mul_overflow(count, found.size, &bytes)) return false;
    high = bytes;
    return bytes > 0;
  }
};

/// The host may have put off a lock that the program has called for. An operation and a flush make
/// it get the lock now. False: the host has failed.
bool get_lock(int rank, MPI_Win win) {
  std::byte byte{};
  return PMPI_Get(&byte, 1, MPI_BYTE, rank, 0, 1, MPI_BYTE, win) == MPI_SUCCESS && PMPI_Win_flush(rank, win) == MPI_SUCCESS;
}

/// The layout of data of predefined types in one piece: so many bytes.
const layout::Layout& bytes_layout() {
  static layout::Immortal<layout::Layout> byte(layout::basic(1));
  return *byte;
}

/// An access that Heddle can carry out as soon as it is allowed.
struct Access {
  Window* window = nullptr;
  int index = -1;  ///< The target, for the window.
  Side origin, target;
  std::byte* there = nullptr;
  Bytes displacement = 0;      ///< `there` begins so many bytes behind the begin of the target's memory.
  transport::Copier copier{};  ///< True: the system copies, because `there` is an address of that process.
  select::OneSidedWay way = select::OneSidedWay::library;

  /// False: the host gets the call.
  bool look(const Buffer& from, const AtTarget& to, MPI_Win win) {
    window = windows::table.find(win);
    index = window ? window->find(to.rank) : -1;
    if (index < 0 || windows::hides_errors(win) || !from.address || !origin.look(from.type, from.count) ||
        !target.look(to.type, to.count))
      return false;
    const Window::Target& memory = window->target(index);
    Bytes at = 0;
    if (origin.bytes != target.bytes || to.displacement < 0 ||
        __builtin_mul_overflow(Bytes{to.displacement}, memory.unit, &at) || at > memory.size || at + target.low < 0 ||
        at + target.high > memory.size)
      return false;
    way = select::way(facts(memory));
    there = memory.base + at;
    displacement = at;
    if (memory.apart) {
      copier = memory.copier;
      return way != select::OneSidedWay::library;
    }
    if (way == select::OneSidedWay::library) return false;
    const auto own = reinterpret_cast<std::uintptr_t>(from.address);
    const auto other = reinterpret_cast<std::uintptr_t>(there);
    const auto end = [](std::uintptr_t address, Bytes offset) { return address + static_cast<std::uintptr_t>(offset); };
    return end(own, origin.high) <= end(other, target.low) || end(other, target.high) <= end(own, origin.low);
  }

  [[nodiscard]] select::OneSided facts(const Window::Target& memory) const {
    const bool all = settings_of_process().windows == settings::Windows::on;
    select::OneSided facts{.origin_in_one_piece = origin.in_one_piece(),
                           .target_in_one_piece = target.in_one_piece(),
                           .bytes = target.bytes,
                           .least = all ? 0 : traits().slow_to_access_from,
                           .apart = memory.apart};
    if (!memory.apart) return facts;
    facts.all = all;
    facts.mean_block = std::min(origin.mean_block(), target.mean_block());
    facts.copied = memory.copier && !window->refuses_across();
    facts.fenced = window->deferred() && window->in_fence_epoch();
    facts.least_fenced = all ? 0 : traits().slow_to_access_apart_from;
    facts.many_blocks = traits().slow_to_access_apart_blocks;
    facts.fenced_below = all ? std::numeric_limits<Bytes>::max() : traits().slow_to_access_apart_below;
    return facts;
  }

  /// Leaves the access to the next fence. False: the host gets the call.
  bool defer(Move move, const Buffer& here) const {
    report::ReportedCall reported(move == Move::put ? "put" : "get");
    {
      const report::Stopwatch watch(reported.times(), &report::Times::pack);
      if (!window->deferred()->defer({.get = move == Move::get,
                                      .rank = window->target(index).rank,
                                      .displacement = displacement,
                                      .bytes = target.bytes,
                                      .here = {layout_of(origin), count_of(origin)},
                                      .there = {layout_of(target), count_of(target)},
                                      .address = static_cast<std::byte*>(const_cast<void*>(here.address))}))
        return false;
    }
    const Side& told = target.in_one_piece() ? origin : target;
    reported.end(told.type->layout(), "fence", target.bytes, [this, move] {
      select::OneSided found = facts(window->target(index));
      found.gets = move == Move::get;
      return why(found);
    });
    return true;
  }

  /// Returns when the access is allowed. False: the host gets the call.
  bool may_begin(const Permission& permission, MPI_Win win) const {
    switch (permission.kind) {
      case Permission::Kind::granted:
        break;
      case Permission::Kind::counted:
        if (!engine::comes_soon(permission, window->crowded(), progress::once)) return false;
        break;
      case Permission::Kind::asked:
        // Hosts flush windows of the program's memory only while the target makes progress. Their
        // own operations do not wait for that.
        if (window->of_program() || !get_lock(window->target(index).rank, win)) return false;
        window->lock_is_held(index);
        break;
      case Permission::Kind::none:
        return false;
    }
    std::atomic_thread_fence(std::memory_order_acquire);
    return true;
  }

  /// @param move  put: from here to there. False: the host gets the call.
  template <Move move>
  bool carry_out(const Buffer& here) const {
    report::ReportedCall reported(move == Move::put ? "put" : "get");
    {
      const report::Stopwatch watch(reported.times(), &report::Times::copy);
      auto* const own = static_cast<std::byte*>(const_cast<void*>(here.address));
      if (copier) {
        if (!copy_across<move>(own)) return false;
      } else if constexpr (move == Move::put) {
        copy(origin, own, target, there);
      } else {
        copy(target, there, origin, own);
      }
    }
    std::atomic_thread_fence(std::memory_order_release);
    const Side& told = target.in_one_piece() ? origin : target;
    reported.end(told.type->layout(), "window", target.bytes, [this] { return why(facts(window->target(index))); });
    return true;
  }

 private:
  static void copy(const Side& from, const std::byte* source, const Side& to, std::byte* destination) {
    if (from.in_one_piece())
      layout::unpack(to.type->layout(), to.count, destination, source + from.first_byte());
    else if (to.in_one_piece())
      layout::pack(from.type->layout(), from.count, source, destination + to.first_byte());
    else
      layout::transfer(from.type->layout(), from.count, source, to.type->layout(), to.count, destination);
  }

  static const layout::Layout& layout_of(const Side& side) { return side.type ? side.type->layout() : bytes_layout(); }
  static Count count_of(const Side& side) { return side.type ? side.count : side.bytes; }

  template <Move move>
  bool copy_across(std::byte* own) const {
    engine::ScratchBuffers* const scratch = window->scratch_pool().take();
    if (!scratch) return false;
    const layout::Layout& here = layout_of(origin);
    const engine::Remote remote{&layout_of(target), count_of(target), there, nullptr, copier};
    bool moved = false;
    if constexpr (move == Move::put) {
      const int error = engine::push({&here, count_of(origin), own}, remote, *scratch);
      if (error == EPERM || error == ENOSYS) window->refuse_across();
      moved = error == 0;
    } else {
      const auto scheme = engine::needs_stage(here, count_of(origin)) ? engine::Scheme::rwg_up : engine::Scheme::multi_w;
      moved = engine::pull(scheme, remote, {&here, count_of(origin), own}, 0, target.bytes, *scratch);
    }
    window->scratch_pool().give(scratch);
    return moved;
  }
};

}  // namespace

template <Move move>
bool carry(const Buffer& origin, const AtTarget& target, MPI_Win win) {
  Access access;
  if (!access.look(origin, target, win)) return false;
  if (access.way == select::OneSidedWay::fenced) return access.defer(move, origin);
  return access.may_begin(access.window->permission(access.index), win) && access.carry_out<move>(origin);
}

template <Move move>
bool carry_with_request(const Buffer& origin, const AtTarget& target, MPI_Win win, MPI_Request* request) {
  Access access;
  if (!request || !access.look(origin, target, win) || access.way == select::OneSidedWay::fenced) return false;
  const Permission permission = access.window->permission(access.index);
  if (!permission.passive || !access.may_begin(permission, win)) return false;
  // Like the data, the request is complete: an operation on no rank is. If the host refuses it, the
  // host moves the data again.
  return access.carry_out<move>(origin) &&
         PMPI_Rput(nullptr, 0, MPI_BYTE, MPI_PROC_NULL, 0, 0, MPI_BYTE, win, request) == MPI_SUCCESS;
}

template bool carry<Move::put>(const Buffer&, const AtTarget&, MPI_Win);
template bool carry<Move::get>(const Buffer&, const AtTarget&, MPI_Win);
template bool carry_with_request<Move::put>(const Buffer&, const AtTarget&, MPI_Win, MPI_Request*);
template bool carry_with_request<Move::get>(const Buffer&, const AtTarget&, MPI_Win, MPI_Request*);

}  // namespace heddle::mpi
