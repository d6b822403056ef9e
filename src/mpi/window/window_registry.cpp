// mpi/window/window_registry.cpp: the ranks of a window tell each other where its memory lies.
//
// The libraries put the memory of all ranks of a node into one file, which each of them maps. Each
// rank looks up the place of its own memory in that file, and tells this place to the others. Then
// it looks for the places of the others among its own mappings. Memory of the program may lie in
// such a file as well. Other ranks reach all other memory by its address and its process.
#include "mpi/window/window_registry.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <new>
#include <numeric>
#include <utility>

#include "engine/window/mapped_files.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi::windows {

constinit threads::HandleTable<MPI_Win, Window> table;

namespace {

using engine::DeferredLists;
using engine::FilePlace;
using engine::MappedFiles;
using engine::WindowCounters;

constinit std::atomic<bool> allowed{false};
constinit std::atomic<bool> of_program_allowed{false};
constinit std::atomic<bool> handlers_made{false};

/// The words of one rank to the others.
struct Told {
  Bytes size = 0;
  Bytes unit = 1;
  FilePlace place;
  std::uintptr_t address = 0;
  transport::Place counters;  ///< Version 0: there are none, and this rank is no target.
  transport::Place lists;     ///< Of deferred accesses. Version 0: there are none.
  int node = -1;              ///< The first rank of MPI_COMM_WORLD on its node.
};

/// The knowledge of a rank before the others depend on it.
struct Own {
  std::optional<MappedFiles> files;
  WindowCounters* counters = nullptr;
  DeferredLists* lists = nullptr;
  std::vector<Told> told;  ///< By all ranks.
  Told mine;

  bool prepare(MpiNode* node, int ranks, const Exposed& memory) noexcept try {
    told.resize(static_cast<std::size_t>(ranks));
    if (!node) return true;
    if (!memory.of_program || (memory.size > 0 && MappedFiles::looks_shared(memory.base))) files = MappedFiles::of_process();
    const Bytes bytes = WindowCounters::bytes(node->size());
    counters = static_cast<WindowCounters*>(node->shared().allocate_zeroed(bytes));
    if (!counters) return true;
    if (const std::optional<transport::Place> place = node->shared().find(counters, bytes))
      mine = {.size = memory.size,
              .unit = memory.unit,
              .place = files ? files->place_of(memory.base, memory.size) : FilePlace{},
              .address = reinterpret_cast<std::uintptr_t>(memory.base),
              .counters = *place,
              .lists = {},
              .node = node->world_rank(0)};
    if (memory.of_program && ranks <= node->size()) prepare_lists(*node, ranks);
    return true;
  } catch (const std::exception&) {
    return false;
  }

  void release(MpiNode& node) noexcept {
    node.shared().release(counters);
    if (lists) node.shared().release(lists);
  }

 private:
  void prepare_lists(MpiNode& node, int ranks) noexcept {
    const Bytes bytes = DeferredLists::bytes(ranks);
    lists = static_cast<DeferredLists*>(node.shared().allocate_zeroed(bytes));
    if (const std::optional<transport::Place> place = lists ? node.shared().find(lists, bytes) : std::nullopt)
      mine.lists = *place;
  }
};

/// The rank in the node of each rank of the communicator. Negative: on another node.
std::vector<int> places_of(MpiNode& node, MPI_Comm comm, int me, int ranks) {
  std::vector<int> places(static_cast<std::size_t>(ranks), -1);
  for (int rank = 0; rank < ranks; ++rank)
    places[static_cast<std::size_t>(rank)] = rank == me ? node.me() : node.peer(comm, rank);
  return places;
}

/// True: all ranks are on one node, and have lists. All ranks find the same.
bool may_defer(const std::vector<Told>& told) {
  return std::ranges::all_of(told, [&](const Told& each) { return each.lists.version != 0 && each.node == told.front().node; });
}

/// The ranks whose memory this rank can access, itself included.
/// @param mappings  Null: the host keeps the memory mapped while the window lives. Otherwise the
/// program may unmap it here, so this gets mappings of Heddle's own.
std::vector<Window::Target> reached(MpiNode& node, const std::vector<int>& places, int me, Own& own,
                                    std::vector<engine::SecondMapping>* mappings) {
  std::vector<Window::Target> targets;
  const Bytes bytes = WindowCounters::bytes(node.size());
  int rank = -1;
  for (const Told& told : own.told) {
    ++rank;
    if (told.counters.version == 0 || told.size <= 0 || told.unit <= 0) continue;
    Window::Target target{.rank = rank, .size = told.size, .unit = told.unit};
    if (rank == me) {
      target.base = reinterpret_cast<std::byte*>(told.address);
      target.counters = own.counters;
    } else if (const int peer = places[static_cast<std::size_t>(rank)]; peer >= 0) {
      if (told.place && !own.files) own.files = MappedFiles::of_process();
      target.base = told.place ? own.files->address_of(told.place, told.size) : nullptr;
      if (target.base && mappings) target.base = mappings->emplace_back(target.base, told.size).address();
      target.counters = reinterpret_cast<const WindowCounters*>(node.map(peer, told.counters, bytes));
      if (!target.base && mappings) {
        target.base = reinterpret_cast<std::byte*>(told.address);
        target.apart = true;
        target.copier = node.copier(peer);
      }
    }
    if (target.base && target.counters) targets.push_back(target);
  }
  return targets;
}

/// Null: accesses cannot wait for a fence, because this rank does not reach the lists of all ranks.
std::unique_ptr<DeferredByWindow> deferring(MpiNode& node, const std::vector<int>& places, int me, Own& own,
                                            const Exposed& mine) try {
  const Bytes bytes = DeferredLists::bytes(static_cast<int>(places.size()));
  std::vector<DeferredByWindow::Rank> ranks;
  for (std::size_t i = 0; i < places.size(); ++i) {
    const Told& told = own.told[i];
    const bool is_me = std::cmp_equal(i, me);
    const std::byte* const lists = is_me            ? reinterpret_cast<const std::byte*>(own.lists)
                                   : places[i] >= 0 ? node.map(places[i], told.lists, bytes)
                                                    : nullptr;
    if (!lists || told.unit <= 0) return nullptr;
    ranks.push_back({places[i], told.unit, reinterpret_cast<const DeferredLists*>(lists)});
  }
  auto made =
      std::make_unique<DeferredByWindow>(node, std::move(ranks), *own.lists, me, static_cast<std::byte*>(mine.base), mine.size);
  own.lists = nullptr;
  return made;
} catch (const std::bad_alloc&) {
  return nullptr;
}

/// Collective over a window whose ranks are all on this node: all of them defer accesses, or none.
void agree_to_defer(Window* window, std::unique_ptr<DeferredByWindow> deferred, MPI_Comm comm) {
  int able = window && deferred ? 1 : 0;
  const bool agreed = PMPI_Allreduce(MPI_IN_PLACE, &able, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && able != 0;
  if (agreed) window->set_deferred(std::move(deferred));
}

/// Collective. Each of the two is true if it is so on all ranks.
bool all_say(int (&both)[2], MPI_Comm comm) {
  return PMPI_Allreduce(MPI_IN_PLACE, both, 2, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS;
}

}  // namespace

void allow(bool is, bool of_program) noexcept {
  allowed = is;
  of_program_allowed = is && of_program;
}

void expect_handlers() noexcept { handlers_made.store(true, std::memory_order_relaxed); }

bool hides_errors(MPI_Win win) noexcept {
  if (!handlers_made.load(std::memory_order_relaxed) || !traits().forgets_heard_errors) return false;
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Win_get_errhandler(win, &handler) != MPI_SUCCESS) return true;
  const bool made = handler != MPI_ERRORS_ARE_FATAL && handler != MPI_ERRORS_RETURN;
  PMPI_Errhandler_free(&handler);
  return made;
}

// Each step that may fail in one rank alone comes before the first collective, which tells all
// ranks.
void meet(MPI_Win win, MPI_Comm comm, const Exposed& mine) {
  int me = 0;
  int ranks = 0;
  if (!(mine.of_program ? of_program_allowed : allowed) || win == MPI_WIN_NULL || communicators::reaches_beyond(comm) ||
      PMPI_Comm_rank(comm, &me) != MPI_SUCCESS || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS || ranks == 1)
    return;
  MpiNode* const node = MpiNode::here();
  Own own;
  // The handler of `comm` may have hidden a failure.
  const bool ready = !communicators::hides_errors(comm) && own.prepare(node, ranks, mine);
  int ready_and_alone[2] = {ready ? 1 : 0, node ? 0 : 1};
  const bool agreed = all_say(ready_and_alone, comm) && ready_and_alone[0] != 0 && ready_and_alone[1] == 0;
  constexpr int length = sizeof(Told);
  const bool told =
      agreed && PMPI_Allgather(&own.mine, length, MPI_BYTE, own.told.data(), length, MPI_BYTE, comm) == MPI_SUCCESS;
  if (!own.counters) return;
  if (!told) {
    own.release(*node);
    return;
  }
  // Peers may read the counters from here on. Without memory for a window, the counters stay zero
  // for good: no peer gets a permission by them.
  Window* window = nullptr;
  std::unique_ptr<DeferredByWindow> deferred;
  const bool defers = may_defer(own.told);
  try {
    std::vector<int> places = places_of(*node, comm, me, ranks);
    if (defers) deferred = deferring(*node, places, me, own, mine);
    std::vector<engine::SecondMapping> mappings;
    std::vector<Window::Target> targets = reached(*node, places, me, own, mine.of_program ? &mappings : nullptr);
    Window* const made =
        new Window(*node, std::move(targets), std::move(places), *own.counters, me, mine.of_program, std::move(mappings));
    table.insert(win, made);
    window = made;
  } catch (const std::exception& error) {
    say_once_verbose("a window is left to the MPI library", error.what());
  }
  if (own.lists) node->shared().release(own.lists);
  if (defers) agree_to_defer(window, std::move(deferred), comm);
}

std::optional<std::vector<int>> ranks_in(MPI_Win win, MPI_Group group) try {
  int size = 0;
  MPI_Group all = MPI_GROUP_NULL;
  if (PMPI_Group_size(group, &size) != MPI_SUCCESS) return {};
  std::vector<int> ranks(static_cast<std::size_t>(size)), own(ranks.size());
  std::iota(own.begin(), own.end(), 0);
  if (size == 0) return ranks;
  if (PMPI_Win_get_group(win, &all) != MPI_SUCCESS) return {};
  const bool known = PMPI_Group_translate_ranks(group, size, own.data(), all, ranks.data()) == MPI_SUCCESS;
  PMPI_Group_free(&all);
  return known ? std::optional(std::move(ranks)) : std::nullopt;
} catch (const std::bad_alloc&) {
  return {};
}

void Freeing::failed() noexcept {
  if (!window_) return;
  try {
    table.insert(win_, window_.get());
    window_.release();
  } catch (const std::exception&) {
    window_.release();  // peers may still read its counters
  }
}

}  // namespace heddle::mpi::windows
