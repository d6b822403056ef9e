// mpi/lifecycle/observed.cpp
#include "mpi/lifecycle/observed.hpp"

#include <algorithm>
#include <string>

#include "interposition/procedures.hpp"
#include "mpi/lifecycle/names.hpp"
#include "mpi/process/process.hpp"
#include "mpi/types/entry.hpp"
#include "mpi/types/handles.hpp"
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
  return remembered_.meet({called.procedure, called.from, threads::key_of(called.type), threads::key_of(called.communicator)},
                          [&](Met& met) { ask(met, called); });
} catch (const std::exception&) {
  return nullptr;
}

void Observed::ask(Met& met, const Called& called) {
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
      met.partners.store(
          remembered_.partners(threads::key_of(called.communicator), [&] { return partners_on(called.communicator); }),
          std::memory_order_release);
  }
  met.site.store(report_.site(std::move(name)), std::memory_order_release);
}

std::int64_t Observed::moved(const Called& called, const Met& met) noexcept try {
  if (called.requests && !called.later) return start(called);
  const report::Partners nobody;
  const report::Partners* const partners = met.partners.load(std::memory_order_acquire);
  report::Planned planned{.bytes = -1};
  with_volume(called, partners ? *partners : nobody, met.size.load(std::memory_order_relaxed), [&](const auto& volume) {
    planned.bytes = volume.bytes();
    if (!report_.counts_peers()) return;
    if (called.later)
      volume.each([&](int rank, std::int64_t sent) { planned.to.emplace_back(rank, sent); });
    else if (planned.bytes > 0)
      volume.each([this](int rank, std::int64_t sent) { report_.add_sent(rank, sent); });
  });
  const std::int64_t bytes = planned.bytes;
  if (called.later && *called.requests != MPI_REQUEST_NULL)
    remembered_.plan(threads::key_of(*called.requests), std::move(planned));
  return bytes;
} catch (const std::exception&) {
  return -1;
}

std::int64_t Observed::start(const Called& called) noexcept {
  std::int64_t bytes = -1;
  const MPI_Count requests = called.count < 0 ? 1 : called.count;  // of MPI_Start
  for (MPI_Count i = 0; i < requests; ++i) {
    const std::int64_t one = remembered_.start(threads::key_of(called.requests[i]),
                                               [this](int rank, std::int64_t sent) { report_.add_sent(rank, sent); });
    if (one >= 0) bytes = std::max<std::int64_t>(bytes, 0) + one;
  }
  return bytes;
}

}  // namespace heddle::mpi
