// mpi/lifecycle/observed.cpp
#include "mpi/lifecycle/observed.hpp"

#include <algorithm>
#include <string>

#include "mpi/handles/table.hpp"
#include "mpi/interposition/procedures.hpp"
#include "mpi/process/process.hpp"
#include "mpi/process/reporting.hpp"
#include "mpi/types/entry.hpp"
#include "mpi/types/predefined.hpp"

namespace heddle::mpi {
namespace {

using report::Passed;

thread_local constinit std::uint32_t calls_of_thread [[gnu::tls_model("initial-exec")]] = 0;

/// The program's argument means a datatype here, as far as can be seen: in place, and on ranks that a collective asks nothing
/// of, it may be anything.
bool means_type(const interposition::Called& called) noexcept {
  if (!called.typed || called.buffer == MPI_IN_PLACE || called.type == MPI_DATATYPE_NULL) return false;
  return !running() || table.find(called.type) || predefined(called.type).size > 0;
}

std::string name_of_type(MPI_Datatype type) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  return PMPI_Type_get_name(type, name.data(), &length) == MPI_SUCCESS ? std::string(name.data()) : std::string();
}

std::string name_of_communicator(MPI_Comm comm) {
  std::array<char, MPI_MAX_OBJECT_NAME> name{};
  int length = 0;
  return PMPI_Comm_get_name(comm, name.data(), &length) == MPI_SUCCESS ? std::string(name.data()) : std::string();
}

/// Why Heddle hands a call on that it has not carried out.
Passed why(const interposition::Called& called) noexcept {
  if (!called.typed) return Passed::by_nature;
  if (!running()) return Passed::off;
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

void Observed::ends(const Called& called, const Mark& mark) noexcept {
  if (!mark.met) return;
  const double now = report::now();
  const double ns = now - mark.since;
  const Met& met = *static_cast<const Met*>(mark.met);
  const std::int64_t bytes = moved(called, met);
  const report::Caller caller = report::caller_of_thread;
  if (caller.site) caller.site->ends(caller.number, ns, bytes, why(called));
  if (caller.site && trace_) {
    const Ranks* const world = met.world.load(std::memory_order_acquire);
    const auto to = static_cast<std::size_t>(called.peer);
    const int peer = called.peer < 0 ? -1 : world && to < world->size() ? (*world)[to] : called.peer;
    trace_->add({caller.site, mark.since, now, bytes, peer, report::thread_number()});
  }
  if (bytes > 0) count_peers(called, met);
  report::caller_of_thread = mark.before;
}

Observed::Met* Observed::meet(const Called& called) noexcept try {
  const std::uint64_t key =
      (reinterpret_cast<std::uintptr_t>(called.from) * 31 + (called.typed ? key_of(called.type) : 0)) * 31 +
      key_of(called.communicator) + static_cast<std::uint64_t>(called.procedure);
  const unsigned now = handles_changed.load(std::memory_order_relaxed) + 1;
  constexpr std::size_t most = 16;  // of slots looked at
  for (std::size_t i = 0; i < most; ++i) {
    std::atomic<Met*>& slot = slots_[(hash_of(key, slot_bits) + i) % slots_.size()];
    Met* met = slot.load(std::memory_order_acquire);
    if (!met) {
      const std::lock_guard guard(lock_);
      met = slot.load(std::memory_order_acquire);
      if (!met) {
        met = &met_.emplace_back();
        met->procedure = called.procedure;
        met->from = called.from;
        met->type = called.type;
        met->communicator = called.communicator;
        ask(*met, called);
        slot.store(met, std::memory_order_release);
        return met;
      }
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
  if (met_.size() >= most_met) return nullptr;
  Met* const met = &met_.emplace_back();
  met->procedure = called.procedure;
  met->from = called.from;
  met->type = called.type;
  met->communicator = called.communicator;
  ask(*met, called);
  slots_[hash_of(key, slot_bits)].store(met, std::memory_order_release);
  return met;
} catch (const std::exception&) {
  return nullptr;
}

void Observed::ask(Met& met, const Called& called) {
  const unsigned now = handles_changed.load(std::memory_order_relaxed) + 1;
  report::CallSite::Name name{.procedure = interposition::procedures()[static_cast<std::size_t>(called.procedure)].name,
                              .place = report::place_of(called.from),
                              .datatype = {},
                              .communicator = {}};
  if (means_type(called)) {
    name.datatype = name_of_type(called.type);
    MPI_Count size = -1;
    if (PMPI_Type_size_x(called.type, &size) == MPI_SUCCESS) met.size.store(size, std::memory_order_relaxed);
  }
  if (called.communicator != MPI_COMM_NULL) {
    name.communicator = name_of_communicator(called.communicator);
    if (report_.counts_peers() && (called.peer != MPI_PROC_NULL || called.to_all || called.counts || called.wide_counts))
      met.world.store(ranks_of(called.communicator), std::memory_order_release);
  }
  met.site.store(report_.site(std::move(name)), std::memory_order_release);
  met.asked.store(now, std::memory_order_release);
}

/// In MPI_COMM_WORLD. The peers' are those of the other group, if there are two.
const Observed::Ranks* Observed::ranks_of(MPI_Comm comm) {
  const unsigned now = handles_changed.load(std::memory_order_relaxed);
  auto& [asked, ranks] = worlds_[key_of(comm)];
  if (ranks && asked == now) return ranks.get();
  int two = 0;
  PMPI_Comm_test_inter(comm, &two);
  MPI_Group peers = MPI_GROUP_NULL;
  MPI_Group world = MPI_GROUP_NULL;
  if ((two ? PMPI_Comm_remote_group(comm, &peers) : PMPI_Comm_group(comm, &peers)) != MPI_SUCCESS) return nullptr;
  if (PMPI_Comm_group(MPI_COMM_WORLD, &world) != MPI_SUCCESS) return nullptr;
  int size = 0;
  PMPI_Group_size(peers, &size);
  Ranks own(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) own[static_cast<std::size_t>(i)] = i;
  auto found = std::make_unique<Ranks>(own.size(), -1);
  PMPI_Group_translate_ranks(peers, size, own.data(), world, found->data());
  PMPI_Group_free(&peers);
  PMPI_Group_free(&world);
  if (ranks && *ranks == *found) {
    asked = now;
    return ranks.get();
  }
  if (ranks) former_.push_back(std::move(ranks));
  ranks = std::move(found);
  asked = now;
  return ranks.get();
}

std::int64_t Observed::moved(const Called& called, const Met& met) const noexcept {
  const std::int64_t size = met.size.load(std::memory_order_relaxed);
  const Ranks* const world = met.world.load(std::memory_order_acquire);
  if (size < 0 || called.buffer == MPI_IN_PLACE) return -1;
  std::int64_t bytes = 0;
  if (called.counts || called.wide_counts) {
    if (!world) return -1;
    for (std::size_t i = 0; i < world->size(); ++i) bytes += size * (called.counts ? called.counts[i] : called.wide_counts[i]);
    return bytes;
  }
  if (called.count < 0 || __builtin_mul_overflow(called.count, size, &bytes)) return -1;
  return called.to_all && world ? bytes * static_cast<std::int64_t>(world->size()) : bytes;
}

void Observed::count_peers(const Called& called, const Met& met) noexcept {
  const Ranks* const world = met.world.load(std::memory_order_acquire);
  const std::int64_t size = met.size.load(std::memory_order_relaxed);
  if (!world) return;
  if (called.peer >= 0 && static_cast<std::size_t>(called.peer) < world->size())
    report_.add_sent((*world)[static_cast<std::size_t>(called.peer)], called.count * size);
  if (!called.to_all && !called.counts && !called.wide_counts) return;
  for (std::size_t i = 0; i < world->size(); ++i) {
    const std::int64_t count = called.to_all ? called.count : called.counts ? called.counts[i] : called.wide_counts[i];
    report_.add_sent((*world)[i], count * size);
  }
}

}  // namespace heddle::mpi
