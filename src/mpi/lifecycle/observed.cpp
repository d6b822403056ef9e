// mpi/lifecycle/observed.cpp
#include "mpi/lifecycle/observed.hpp"

#include <algorithm>
#include <string>

#include "interposition/procedures.hpp"
#include "mpi/lifecycle/names.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/entry.hpp"
#include "mpi/types/predefined.hpp"
#include "report/reporting.hpp"
#include "threads/table.hpp"

namespace heddle::mpi {
namespace {

using report::Passed;

thread_local constinit std::uint32_t calls_of_thread [[gnu::tls_model("initial-exec")]] = 0;

/// In place, the argument means nothing.
bool means_type(const timed::Called& called) noexcept {
  return called.typed && called.buffer != MPI_IN_PLACE && means_datatype(called.type);
}

/// Of a collective that Heddle may carry out though nothing has holes.
bool has_algorithms(timed::Pattern pattern) noexcept {
  using timed::Pattern;
  return pattern == Pattern::alltoall || pattern == Pattern::allgather || pattern == Pattern::neighbor_alltoall ||
         pattern == Pattern::neighbor_allgather;
}

/// Why Heddle hands a call on that it has not carried out. @param chosen  The library's way was chosen for it.
Passed why(const timed::Called& called, bool chosen) noexcept {
  if (!called.typed) return Passed::by_nature;
  if (!running()) return Passed::off;
  if (chosen) return Passed::as_fast;
  if (has_algorithms(called.pattern) && settings_of_process().collectives == settings::Collectives::native)
    return Passed::as_set;
  if (called.buffer == MPI_IN_PLACE || called.type == MPI_DATATYPE_NULL) return Passed::no_holes;
  const Entry* const entry = table.find(called.type);
  if (!entry) return predefined(called.type).size == 0 ? Passed::unknown : Passed::no_holes;
  if (!entry->known()) return Passed::unknown;
  const Count count = called.count >= 0 ? called.count : 2;
  if (entry->contiguous(count)) return Passed::no_holes;
  if (settings_of_process().messages == settings::Messages::native) return Passed::as_set;
  constexpr Bytes plenty = Bytes{1} << 30;
  return entry->pays_to_pack(std::max<Count>(count, plenty / std::max<Bytes>(entry->size(), 1))) ? Passed::small
                                                                                                 : Passed::as_fast;
}

}  // namespace

Observed::Mark Observed::begins(const Called& called) noexcept {
  Met* const met = meet(called);
  if (!met) return {};
  const report::Caller before = report::caller_of_thread;  // callbacks of the program call MPI, too
  if (++calls_of_thread == 0) ++calls_of_thread;
  report::caller_of_thread = {met->site.load(std::memory_order_acquire), calls_of_thread};
  return {met, before, report::now()};
}

void Observed::ends(const Called& called, const Mark& mark, bool done) noexcept {
  if (!mark.met) return;
  const double now = report::now();
  const double ns = now - mark.since;
  const Met& met = *static_cast<const Met*>(mark.met);
  const report::Caller caller = report::caller_of_thread;
  const std::int64_t planned = done ? moved(called, met) : -1;
  const std::int64_t bytes = called.later ? -1 : planned;
  if (caller.site) caller.site->ends(caller.number, ns, bytes, why(called, caller.chosen != nullptr));
  if (caller.chosen && planned > 0) caller.chosen->bytes.fetch_add(planned, std::memory_order_relaxed);
  if (caller.site && trace_) {
    const report::Partners* const partners = met.partners.load(std::memory_order_acquire);
    const auto to = static_cast<std::size_t>(called.peer);
    const int peer = called.peer < 0 ? -1 : partners && to < partners->world.size() ? partners->world[to] : called.peer;
    trace_->add({caller.site, mark.since, now, bytes, peer, report::thread_number()});
  }
  report::caller_of_thread = mark.before;
}

Observed::Met* Observed::meet(const Called& called) noexcept try {
  const std::uint64_t key =
      (reinterpret_cast<std::uintptr_t>(called.from) * 31 + (called.typed ? threads::key_of(called.type) : 0)) * 31 +
      threads::key_of(called.communicator) + static_cast<std::uint64_t>(called.procedure);
  const unsigned now = report::handles_changed.load(std::memory_order_relaxed) + 1;
  constexpr std::size_t most = 16;  // of slots looked at
  for (std::size_t i = 0; i < most; ++i) {
    std::atomic<Met*>& slot = slots_[(threads::hash_of(key, slot_bits) + i) % slots_.size()];
    Met* met = slot.load(std::memory_order_acquire);
    if (!met) {
      const std::lock_guard guard(lock_);
      met = slot.load(std::memory_order_acquire);
      if (!met) return add(slot, called);
    }
    if (met->procedure != called.procedure || met->from != called.from || met->type != called.type ||
        met->communicator != called.communicator)
      continue;
    if (met->asked.load(std::memory_order_acquire) != now) {
      const std::lock_guard guard(lock_);
      ask(*met, called);
    }
    return met;
  }
  // More places, datatypes and communicators than there is room for: the last one met there makes place for
  // it; at some time calls go uncounted.
  const std::lock_guard guard(lock_);
  return met_.size() < most_met ? add(slots_[threads::hash_of(key, slot_bits)], called) : nullptr;
} catch (const std::exception&) {
  return nullptr;
}

Observed::Met* Observed::add(std::atomic<Met*>& slot, const Called& called) {
  Met& met = met_.emplace_back();
  met.procedure = called.procedure;
  met.from = called.from;
  met.type = called.type;
  met.communicator = called.communicator;
  ask(met, called);
  slot.store(&met, std::memory_order_release);
  return &met;
}

void Observed::ask(Met& met, const Called& called) {
  const unsigned now = report::handles_changed.load(std::memory_order_relaxed) + 1;
  report::CallSite::Name name{.procedure = interposition::procedures()[static_cast<std::size_t>(called.procedure)].name,
                              .place = report::place_of(called.from),
                              .datatype = {},
                              .communicator = {}};
  if (means_type(called)) {
    name.datatype = name_of_datatype(called.type);
    MPI_Count size = -1;
    if (PMPI_Type_size_x(called.type, &size) == MPI_SUCCESS) met.size.store(size, std::memory_order_relaxed);
  }
  if (called.communicator != MPI_COMM_NULL) {
    name.communicator = name_of_communicator(called.communicator);
    if (called.pattern != timed::Pattern::none || (report_.counts_peers() && called.peer != MPI_PROC_NULL))
      met.partners.store(partners_of(called.communicator), std::memory_order_release);
  }
  met.site.store(report_.site(std::move(name)), std::memory_order_release);
  met.asked.store(now, std::memory_order_release);
}

const report::Partners* Observed::partners_of(MPI_Comm comm) {
  const unsigned now = report::handles_changed.load(std::memory_order_relaxed);
  auto& [asked, partners] = partners_[threads::key_of(comm)];
  if (partners && asked == now) return partners.get();
  auto found = std::make_unique<report::Partners>(partners_on(comm));
  asked = now;
  if (partners && *partners == *found) return partners.get();
  if (partners) former_.push_back(std::move(partners));
  partners = std::move(found);
  return partners.get();
}

std::int64_t Observed::moved(const Called& called, const Met& met) noexcept try {
  if (called.requests && !called.later) return start(called);
  const report::Partners nobody;
  const report::Partners* const partners = met.partners.load(std::memory_order_acquire);
  Planned planned{.bytes = -1, .to = {}};
  with_volume(called, partners ? *partners : nobody, met.size.load(std::memory_order_relaxed), [&](const auto& volume) {
    planned.bytes = volume.bytes();
    if (!report_.counts_peers()) return;
    if (called.later)
      volume.each([&](int rank, std::int64_t sent) { planned.to.emplace_back(rank, sent); });
    else if (planned.bytes > 0)
      volume.each([this](int rank, std::int64_t sent) { report_.add_sent(rank, sent); });
  });
  const std::int64_t bytes = planned.bytes;
  if (called.later) plan(*called.requests, std::move(planned));
  return bytes;
} catch (const std::exception&) {
  return -1;
}

void Observed::plan(MPI_Request request, Planned planned) {
  if (request == MPI_REQUEST_NULL) return;
  const std::lock_guard guard(lock_);
  if (planned_.size() < most_met || planned_.contains(threads::key_of(request)))
    planned_[threads::key_of(request)] = std::move(planned);
}

/// Requests keep their handles until they are freed; a new one of the same handle is planned anew.
std::int64_t Observed::start(const Called& called) noexcept {
  const std::lock_guard guard(lock_);
  std::int64_t bytes = -1;
  const MPI_Count requests = called.count < 0 ? 1 : called.count;  // of MPI_Start
  for (MPI_Count i = 0; i < requests; ++i) {
    const auto found = planned_.find(threads::key_of(called.requests[i]));
    if (found == planned_.end() || found->second.bytes < 0) continue;
    bytes = std::max<std::int64_t>(bytes, 0) + found->second.bytes;
    for (const auto& [rank, sent] : found->second.to) report_.add_sent(rank, sent);
  }
  return bytes;
}

}  // namespace heddle::mpi
