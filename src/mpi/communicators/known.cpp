// mpi/communicators/known.cpp: attributes and the table.
#include "mpi/communicators/known.hpp"

#include <utility>

#include "group/formats.hpp"
#include "mpi/communicators/ask.hpp"
#include "mpi/reporting.hpp"

namespace heddle::mpi::communicators {
namespace {

constinit HandleTable<MPI_Comm, Members> table;
constinit std::atomic<bool> is_open{false};
/// Held while a communicator is looked at for the first time. Callbacks of the host do not take it: they run with the host's
/// own locks held, for which its holder may be waiting.
constinit std::mutex meeting;
int keyval = MPI_KEYVAL_INVALID;
int me = -1;
/// What the host has handed on last.
thread_local Members* handed = nullptr;

void tell(const char* call, const Members& members, bool shared) noexcept {
  const group::Group& group = members.group;
  if (report::Report* report = report_of_process.load(std::memory_order_relaxed); report && !group.empty())
    report->add_communicator(call, group::entry(group.format()).name, group.size(), shared ? 0 : group.bytes(),
                             shared ? 0 : group.footprint() + sizeof(Members) - sizeof(group::Group));
}

int handed_on(MPI_Comm, int, void*, void* members, void* copy, int* copied) {
  handed = static_cast<Members*>(members);
  handed->retain();
  *static_cast<void**>(copy) = members;
  *copied = 1;
  return MPI_SUCCESS;
}

int freed(MPI_Comm comm, int, void* members, void*) {
  table.erase(comm);
  static_cast<Members*>(members)->release();
  return MPI_SUCCESS;
}

/// `members` are the communicator's from here on. Null: the host does not take the attribute.
const Members* hang(const char* call, MPI_Comm comm, Members* members) {
  if (PMPI_Comm_set_attr(comm, keyval, members) != MPI_SUCCESS) {
    members->release();
    return nullptr;
  }
  table.insert(comm, members);
  tell(call, *members, false);
  return members;
}

/// A communicator that nobody has told us of, or nothing about its group.
const Members* meet(const char* call, MPI_Comm comm) noexcept try {
  const std::lock_guard guard(meeting);
  if (!opened() || comm == MPI_COMM_NULL) return nullptr;
  if (const Members* known = table.find(comm)) return known;
  const std::optional<group::Group> group = asked(comm);
  return group ? hang(call, comm, new Members(*group)) : nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace

void open() noexcept {
  int size = 0;
  if (PMPI_Comm_create_keyval(handed_on, freed, &keyval, nullptr) != MPI_SUCCESS) return;
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &me) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS) return;
  is_open = true;
  keep("MPI_COMM_WORLD", MPI_COMM_WORLD, group::Group::world(size));
}

void close() noexcept {
  const std::lock_guard guard(meeting);
  if (is_open.exchange(false)) PMPI_Comm_free_keyval(&keyval);
}

bool opened() noexcept { return is_open.load(std::memory_order_relaxed); }

const Members* members(MPI_Comm comm) noexcept {
  const Members* const known = table.find(comm);
  return known ? known : meet("first message", comm);
}

std::optional<group::Group> known(MPI_Comm comm) noexcept {
  const Members* const found = table.find(comm);
  if (!found || found->group.empty()) return {};
  return found->group;
}

void keep(const char* call, MPI_Comm comm, const group::Group& group) noexcept try {
  if (!opened() || comm == MPI_COMM_NULL) return;
  if (!agrees(comm, group, me)) return leave(call, comm);
  const std::lock_guard guard(meeting);
  hang(call, comm, new Members(group));
} catch (const std::bad_alloc&) {
  return;  // asked for later
}

void leave(const char* call, MPI_Comm comm) noexcept {
  if (report_of_process.load(std::memory_order_relaxed)) meet(call, comm);
}

Duplicating::Duplicating() noexcept : before_(std::exchange(handed, nullptr)) {}

Duplicating::~Duplicating() { handed = const_cast<Members*>(before_); }

void Duplicating::end(const char* call, MPI_Comm of, MPI_Comm made, bool complete) noexcept try {
  if (made == MPI_COMM_NULL) return;
  if (!handed || handed != table.find(of)) {
    if (complete) leave(call, made);
    return;
  }
  table.insert(made, handed);
  tell(call, *handed, true);
} catch (const std::bad_alloc&) {
  return;  // asked for later
}

}  // namespace heddle::mpi::communicators
