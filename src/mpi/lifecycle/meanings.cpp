// mpi/lifecycle/meanings.cpp: asks the host for names, ranks and layouts of the handles of a call.
#include "mpi/lifecycle/meanings.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <stdexcept>
#include <string_view>
#include <vector>

#include "interposition/procedures.hpp"
#include "mpi/collectives/peers.hpp"
#include "mpi/communicators/host_group.hpp"
#include "mpi/file/file.hpp"
#include "mpi/process/process.hpp"
#include "mpi/requests/request_table.hpp"
#include "mpi/types/decode.hpp"
#include "mpi/types/entry.hpp"
#include "mpi/types/handles.hpp"
#include "threads/lock.hpp"

namespace heddle::mpi {
namespace {

using report::Passed;
using report::Pattern;

MPI_Comm comm_of(std::uint64_t key) noexcept { return threads::handle_of(key, MPI_COMM_NULL); }

std::vector<int> in_world(MPI_Comm comm, bool inter) {
  communicators::Handle peers;
  communicators::Handle world;
  if ((inter ? PMPI_Comm_remote_group : PMPI_Comm_group)(comm, &peers.group) != MPI_SUCCESS) return {};
  if (PMPI_Comm_group(MPI_COMM_WORLD, &world.group) != MPI_SUCCESS) return {};
  int size = 0;
  PMPI_Group_size(peers.group, &size);
  std::vector<int> mine(static_cast<std::size_t>(size));
  std::iota(mine.begin(), mine.end(), 0);
  std::vector<int> found(mine.size(), -1);
  PMPI_Group_translate_ranks(peers.group, size, mine.data(), world.group, found.data());
  return found;
}

std::uint64_t hash_of(const std::vector<int>& ranks) noexcept {
  return std::hash<std::string_view>()({reinterpret_cast<const char*>(ranks.data()), ranks.size() * sizeof(int)});
}

/// True: Heddle may carry out the collective even if nothing has holes.
bool has_algorithms(Pattern pattern) noexcept {
  return pattern == Pattern::alltoall || pattern == Pattern::allgather || pattern == Pattern::neighbor_alltoall ||
         pattern == Pattern::neighbor_allgather;
}

/// Heddle's persistent request in a call that makes or starts requests. Prefers a request that the
/// host carries this time. Null: there is none.
const Pending* persistent_of(const report::Called& called) noexcept {
  if (!called.requests || !running()) return nullptr;
  const auto* const requests = static_cast<const MPI_Request*>(called.requests);
  const std::int64_t many = called.later || called.count < 0 ? 1 : called.count;
  const Pending* found = nullptr;
  for (std::int64_t i = 0; i < many && !(found && found->record.by_host); ++i) {
    const Pending* const ours = requests::table.find(requests[i]);
    if (ours && ours->record.persistent) found = ours;
  }
  return found;
}

class OfHost final : public report::Meanings {
 public:
  [[nodiscard]] const char* procedure(int number) const noexcept override {
    const auto ours = interposition::procedures();
    const auto at = static_cast<std::size_t>(number);
    return at < ours.size() ? ours[at].name : interposition::observed()[at - ours.size()].name;
  }

  [[nodiscard]] bool is_datatype(std::uint64_t type) const noexcept override {
    return type != 0 && (!running() || is_derived(type) || predefined(datatype_of(type)).size > 0);
  }
  [[nodiscard]] bool is_derived(std::uint64_t type) const noexcept override { return known(datatype_of(type)); }

  /// Open MPI itself names types of MPI_Type_create_resized and MPI_Type_dup. These count as types
  /// without a name.
  [[nodiscard]] std::string datatype(std::uint64_t type) const override {
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    if (PMPI_Type_get_name(datatype_of(type), name.data(), &length) != MPI_SUCCESS) return {};
    const std::string_view said(name.data());
    if (traits().host == Host::openmpi && (said == "Dup" || said.starts_with("Dup "))) return {};
    return std::string(said);
  }
  [[nodiscard]] std::string communicator(std::uint64_t comm) const override {
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    return PMPI_Comm_get_name(comm_of(comm), name.data(), &length) == MPI_SUCCESS ? std::string(name.data()) : std::string();
  }
  [[nodiscard]] std::string window(std::uint64_t window) const override {
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    const MPI_Win of = threads::handle_of(window, MPI_WIN_NULL);
    return PMPI_Win_get_name(of, name.data(), &length) == MPI_SUCCESS ? std::string(name.data()) : std::string();
  }
  /// Decodes the datatype if Heddle has not used it yet, or is off. Decoding frees handles
  /// of the host, which may call the program back. The caller has a lock, for which another
  /// thread of the program may wait. So if several threads have called MPI, such a type has no
  /// layout.
  [[nodiscard]] report::Described layout(std::uint64_t type) const override try {
    const Entry* const entry = table.find(datatype_of(type));
    if (entry && entry->known()) return report::described(entry->layout());
    const report::Report* const report = report::of_process.load(std::memory_order_relaxed);
    if (threads::concurrent.load(std::memory_order_relaxed) && (!report || report->threads() > 1)) return {};
    return report::described(decode(datatype_of(type)).layout);
  } catch (const CannotDecode&) {
    return {};
  } catch (const std::overflow_error&) {
    return {};
  } catch (const std::invalid_argument&) {
    return {};
  }
  [[nodiscard]] std::int64_t size_of(std::uint64_t type) const noexcept override {
    MPI_Count size = -1;
    return PMPI_Type_size_x(datatype_of(type), &size) == MPI_SUCCESS ? size : -1;
  }

  [[nodiscard]] report::Partners partners(std::uint64_t key) const override {
    const MPI_Comm comm = comm_of(key);
    report::Partners partners;
    const communicators::Peers peers(comm);
    if (!peers.known) return partners;
    partners.inter = peers.inter;
    partners.me = own_rank(comm);
    partners.world = in_world(comm, partners.inter);
    partners.identity = hash_of(partners.world) + (partners.inter ? hash_of(in_world(comm, false)) : 0);
    std::vector<int> from;
    if (!partners.inter) neighbour_ranks(comm, partners.me, from, partners.neighbours);
    return partners;
  }
  [[nodiscard]] std::pair<int, int> blocks_of(const report::Called& called) const override {
    if (called.communicator == 0) return {0, 0};
    const MPI_Comm comm = comm_of(called.communicator);
    if (called.pattern == Pattern::neighbor_alltoall || called.pattern == Pattern::neighbor_allgather) {
      const Neighbours peers(comm);
      return peers.known() ? std::pair(peers.out(), peers.in()) : std::pair(0, 0);
    }
    const Peers peers(comm);
    const int ranks = peers.known ? peers.ranks : 0;
    return {ranks, ranks};
  }

  [[nodiscard]] Passed why(const report::Called& called, bool chosen) const noexcept override {
    if (chosen) return settings_of_process().trials ? Passed::tried : Passed::as_fast;
    if (const Pending* const ours = persistent_of(called)) {
      if (called.later) return Passed::by_nature;  // each start decides
      if (ours->record.by_host) return Passed::as_fast;
    }
    if (!called.typed || !called.carriable) return Passed::by_nature;
    if (!running()) return Passed::off;
    if (const std::string_view name = procedure(called.procedure); name.starts_with("MPI_File_")) {
      const bool in_view = files::met_holes() && name.find("_all") != std::string_view::npos;
      const Entry* const memory = called.type == 0 ? nullptr : table.find(datatype_of(called.type));
      const bool in_memory = memory && memory->known() && !memory->contiguous(std::max<Count>(called.count, 1));
      if (!in_view && !in_memory) return Passed::no_holes;
      return files::allowed() ? Passed::as_fast : in_view ? Passed::files_off : Passed::as_set;
    }
    if (has_algorithms(called.pattern) && settings_of_process().collectives == settings::Collectives::native)
      return Passed::as_set;
    if (called.in_place || called.type == 0) return Passed::no_holes;
    const MPI_Datatype type = datatype_of(called.type);
    const Entry* const entry = table.find(type);
    if (!entry) return predefined(type).size == 0 ? Passed::unknown : Passed::no_holes;
    if (!entry->known()) return entry->met() ? Passed::first : Passed::unknown;
    const Count count = called.count >= 0 ? called.count : 2;
    if (entry->contiguous(count)) return Passed::no_holes;
    if (settings_of_process().messages == settings::Messages::native) return Passed::as_set;
    constexpr Bytes plenty = Bytes{1} << 30;
    return entry->pays_to_pack(std::max<Count>(count, plenty / std::max<Bytes>(entry->size(), 1))) ? Passed::small
                                                                                                   : Passed::as_fast;
  }

  [[nodiscard]] std::uint64_t type_at(const void* types, int i) const noexcept override {
    return threads::key_of(static_cast<const MPI_Datatype*>(types)[i], MPI_DATATYPE_NULL);
  }
  [[nodiscard]] std::uint64_t request_at(const void* requests, int i) const noexcept override {
    return threads::key_of(static_cast<const MPI_Request*>(requests)[i], MPI_REQUEST_NULL);
  }
  [[nodiscard]] std::int64_t count_at(const void* wide_counts, int i) const noexcept override {
    return static_cast<const MPI_Count*>(wide_counts)[i];
  }
  [[nodiscard]] std::pair<int, int> status_at(const void* statuses, int i) const noexcept override {
    const MPI_Status& status = static_cast<const MPI_Status*>(statuses)[i];
    return {status.MPI_SOURCE, status.MPI_TAG};
  }
  [[nodiscard]] bool is_cancelled(const void* statuses, int i) const noexcept override {
    int flag = 0;
    return PMPI_Test_cancelled(&static_cast<const MPI_Status*>(statuses)[i], &flag) == MPI_SUCCESS && flag != 0;
  }
  [[nodiscard]] std::uint64_t communicator_at(const void* made) const noexcept override {
    return threads::key_of(*static_cast<const MPI_Comm*>(made), MPI_COMM_NULL);
  }
};

}  // namespace

const report::Meanings& meanings() noexcept {
  static const OfHost of_host;
  return of_host;
}

}  // namespace heddle::mpi
