// mpi/communicators/communicator_registry.cpp: an attribute on each communicator, and a table of
// what Heddle knows of it.
#include "mpi/communicators/communicator_registry.hpp"

#include <mutex>
#include <new>

#include "group/formats.hpp"
#include "mpi/communicators/host_group.hpp"
#include "mpi/process/process.hpp"
#include "report/reporting.hpp"
#include "threads/read_by_every_call.hpp"

namespace heddle::mpi::communicators {

constinit threads::HandleTable<MPI_Comm, Communicator> directory;

namespace {

constinit std::atomic<bool> is_open{false};
/// Held while a communicator is looked at for the first time. Callbacks of the host do not take it:
/// they run under locks of the host, and the holder of this mutex may be waiting for those locks.
constinit std::mutex meeting;
int keyval = MPI_KEYVAL_INVALID;
int rank_in_world = -1;
/// The innermost objects of this thread.
thread_local Duplicating* duplicating = nullptr;
thread_local Freeing* innermost_freeing = nullptr;

void tell(const char* call, const Members& members, bool shared) noexcept {
  const group::Group& group = members.group;
  if (report::Report* report = report::of_process.load(std::memory_order_relaxed); report && !group.empty())
    report->add_communicator(call, group::entry(group.format()).name, group.size(), shared ? 0 : group.bytes(),
                             shared ? 0 : group.footprint() + sizeof(Members) - sizeof(group::Group));
}

int handed_on(MPI_Comm, int, void*, void* attribute, void* copy, int* copied) {
  auto* const members = const_cast<Members*>(static_cast<const Communicator*>(attribute)->members());
  auto* const fresh = members ? new (std::nothrow) Communicator(MPI_COMM_NULL) : nullptr;
  *copied = fresh ? 1 : 0;
  if (!fresh) return MPI_SUCCESS;  // the host will be asked
  members->retain();
  fresh->know(members);
  fresh->mute(static_cast<const Communicator*>(attribute)->is_mute());
  if (duplicating) duplicating->handed_on(fresh);
  *static_cast<void**>(copy) = fresh;
  return MPI_SUCCESS;
}

int freed(MPI_Comm comm, int, void* attribute, void*) {
  auto* const object = static_cast<Communicator*>(attribute);
  if (!object->gone()) directory.erase(comm);
  object->name(comm);
  object->go();
  threads::Deferred::add(object);
  return MPI_SUCCESS;
}

/// With `meeting` held. Null: the host does not take the attribute. Throws std::bad_alloc.
Communicator* entry_of(MPI_Comm comm) {
  if (Communicator* const known = directory.find(comm)) return known;
  if (Freeing::of(comm)) return nullptr;
  auto* const fresh = new Communicator(comm);
  if (PMPI_Comm_set_attr(comm, keyval, fresh) != MPI_SUCCESS) {
    fresh->release();
    return nullptr;
  }
  directory.insert(comm, fresh);
  return fresh;
}

/// With `meeting` held.
const Members* hang(const char* call, MPI_Comm comm, const group::Group& group, bool beyond) {
  Communicator* const object = entry_of(comm);
  if (!object) return nullptr;
  auto* const members = new Members(group, beyond);
  object->know(members);
  tell(call, *members, false);
  return members;
}

/// The members of a communicator whose group Heddle does not know yet.
const Members* meet(const char* call, MPI_Comm comm) try {
  if (Freeing* const freeing = Freeing::of(comm)) return freeing->members();
  const std::lock_guard guard(meeting);
  if (!opened() || comm == MPI_COMM_NULL) return nullptr;
  if (const Communicator* const known = directory.find(comm); known && known->members()) return known->members();
  const std::optional<group::Group> group = asked(comm);
  return group ? hang(call, comm, *group, group->empty() || strangers_here(comm)) : nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;
}

}  // namespace

Communicator::~Communicator() {
  if (Members* const members = members_.load(std::memory_order_relaxed)) members->release();
  if (errors_ != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&errors_);
}

void Communicator::know(Members* members) noexcept {
  if (Members* const before = members_.exchange(members, std::memory_order_acq_rel)) before->release();
}

namespace {

/// True: the communicator's handler is one of these.
template <class... Handlers>
bool has_any(MPI_Comm comm, Handlers... handlers) {
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  if (PMPI_Comm_get_errhandler(comm, &handler) != MPI_SUCCESS) return false;
  const bool is = (... || (handler == handlers));
  PMPI_Errhandler_free(&handler);
  return is;
}

/// The host says this also of a communicator without a handler.
bool fatal(MPI_Comm comm) { return has_any(comm, MPI_ERRORS_ARE_FATAL); }

HEDDLE_READ_BY_EVERY_CALL constinit std::atomic<bool> handlers_made{false};

/// MPI_COMM_SELF's handler hears of errors without a communicator. MPICH takes MPI_COMM_WORLD's if
/// MPI_COMM_SELF has none.
MPI_Comm of_none() { return traits().makes_without_handler && fatal(MPI_COMM_SELF) ? MPI_COMM_WORLD : MPI_COMM_SELF; }

/// Calls the handler of `heard`, which may free the communicator.
Raised call_handler(MPI_Comm heard, int code) {
  const bool forgotten = hides_errors(heard);
  PMPI_Comm_call_errhandler(heard, code);
  return Raised::by_heddle(forgotten ? MPI_SUCCESS : code);
}

}  // namespace

void Communicator::leave() {
  if (const std::unique_ptr<Context> context(context_.exchange(nullptr)); context) context->leave();
  if (is_shared() && !(mute_ && fatal(handle_)) && PMPI_Comm_get_errhandler(handle_, &errors_) != MPI_SUCCESS)
    errors_ = MPI_ERRHANDLER_NULL;
  gone_.store(true, std::memory_order_release);
}

Raised Communicator::raise(int code) const {
  if (!gone()) return call_handler(mute_ && fatal(handle_) ? of_none() : handle_, code);
  MPI_Comm own = MPI_COMM_NULL;  // a handler needs a communicator, and this one is gone
  if (errors_ == MPI_ERRHANDLER_NULL || PMPI_Comm_dup(MPI_COMM_SELF, &own) != MPI_SUCCESS) return call_handler(of_none(), code);
  PMPI_Comm_set_errhandler(own, errors_);
  const Raised raised = call_handler(own, code);
  PMPI_Comm_free(&own);
  return raised;
}

void expect_handlers() noexcept { handlers_made.store(true, std::memory_order_relaxed); }

[[gnu::hot]] bool hides_errors(MPI_Comm comm) {
  if (!handlers_made.load(std::memory_order_relaxed) || !traits().forgets_heard_errors) return false;
  const MPI_Comm heard = heard_on(comm);
#if MPI_VERSION >= 4
  return !has_any(heard, MPI_ERRORS_RETURN, MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT);
#else
  return !has_any(heard, MPI_ERRORS_RETURN, MPI_ERRORS_ARE_FATAL);
#endif
}

Communicator* met(MPI_Comm comm) noexcept try {
  if (!opened() || comm == MPI_COMM_NULL) return nullptr;
  const std::lock_guard guard(meeting);
  return opened() ? entry_of(comm) : nullptr;
} catch (const std::bad_alloc&) {
  return nullptr;
}

Raised Hold::raise(int code) const {
  return object_ ? object_->raise(code) : call_handler(comm_ == MPI_COMM_NULL ? of_none() : comm_, code);
}

namespace {

void begin() noexcept {
  int size = 0;
  int initialized = 0;
  if (PMPI_Comm_create_keyval(handed_on, freed, &keyval, nullptr) != MPI_SUCCESS) return;
  if (PMPI_Initialized(&initialized) != MPI_SUCCESS || !initialized) {  // a program of sessions only
    is_open = true;
    return;
  }
  if (PMPI_Comm_rank(MPI_COMM_WORLD, &rank_in_world) != MPI_SUCCESS || PMPI_Comm_size(MPI_COMM_WORLD, &size) != MPI_SUCCESS)
    return;
  is_open = true;
  keep("MPI_COMM_WORLD", MPI_COMM_WORLD, group::Group::world(size));
}

}  // namespace

void open() noexcept {
  static std::once_flag once;
  std::call_once(once, begin);
}

void close() noexcept {
  const std::lock_guard guard(meeting);
  if (is_open.exchange(false)) PMPI_Comm_free_keyval(&keyval);
}

MPI_Comm heard_on(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return of_none();
  const Communicator* const known = directory.find(comm);
  return known && known->is_mute() && fatal(comm) ? of_none() : comm;
}

Raised raise(MPI_Comm comm, int code) {
  if (const Communicator* const known = comm == MPI_COMM_NULL ? nullptr : directory.find(comm)) return known->raise(code);
  return call_handler(comm == MPI_COMM_NULL ? of_none() : comm, code);
}

void without_handler(MPI_Comm made) try {
  if (!opened() || made == MPI_COMM_NULL || !fatal(made)) return;
  const std::lock_guard guard(meeting);
  if (Communicator* const object = entry_of(made)) object->mute();
} catch (const std::bad_alloc&) {
  return;  // at worst, an error is fatal that need not be
}

Freeing::Freeing(MPI_Comm comm) : comm_(comm), before_(innermost_freeing) {
  if (Communicator* const object = directory.find(comm)) {
    object->leave();
    object_ = threads::Reference<Communicator>(object);
    directory.erase(comm);
  }
  innermost_freeing = this;
}

Freeing::~Freeing() { innermost_freeing = before_; }

Freeing* Freeing::of(MPI_Comm comm) noexcept {
  Freeing* each = innermost_freeing;
  while (each && each->comm_ != comm) each = each->before_;
  return each;
}

const Members* Freeing::members() noexcept try {
  if (const Members* const known = object_ ? object_->members() : nullptr; known || !opened()) return known;
  std::optional<group::Group> group = asked(comm_);
  if (!group) return nullptr;
  const bool beyond = group->empty() || strangers_here(comm_);
  if (!object_) object_ = threads::Reference<Communicator>::taken(new Communicator(comm_));
  object_->know(new Members(std::move(*group), beyond));
  return object_->members();
} catch (const std::bad_alloc&) {
  return nullptr;
}

bool opened() noexcept { return is_open.load(std::memory_order_relaxed); }

const Members* members(MPI_Comm comm) {
  const Communicator* const found = directory.find(comm);
  const Members* const known = found ? found->members() : nullptr;
  return known ? known : meet("first message", comm);
}

std::optional<group::Group> known(MPI_Comm comm) noexcept {
  const Communicator* const found = directory.find(comm);
  const Members* const members = found ? found->members() : nullptr;
  if (!members || members->group.empty()) return {};
  return members->group;
}

void keep(const char* call, MPI_Comm comm, const group::Group& group) noexcept try {
  if (!opened() || comm == MPI_COMM_NULL) return;
  if (!agrees(comm, group, rank_in_world)) return leave(call, comm);
  const std::lock_guard guard(meeting);
  hang(call, comm, group, false);
} catch (const std::bad_alloc&) {
  return;  // the host will be asked
}

void leave(const char* call, MPI_Comm comm) noexcept {
  if (report::of_process.load(std::memory_order_relaxed)) meet(call, comm);
}

void leave_to_host(const char* call, MPI_Comm comm) noexcept try {
  if (!opened() || comm == MPI_COMM_NULL) return;
  const std::lock_guard guard(meeting);
  hang(call, comm, group::Group(), true);
} catch (const std::bad_alloc&) {
  return;  // the host will be asked for the group, as for other communicators
}

void leave_threads_to_host(MPI_Comm comm) noexcept try {
  if (!opened() || comm == MPI_COMM_NULL) return;
  const std::lock_guard guard(meeting);
  auto* const object = new Communicator(comm);
  object->know(new Members(group::Group(), true));
  directory.insert(comm, object);
} catch (const std::bad_alloc&) {
  return;
}

void threads_end(MPI_Comm comm) {
  Communicator* const object = directory.find(comm);
  if (!object) return;
  object->leave();
  directory.erase(comm);
  object->free();
}

Duplicating::Duplicating(std::unique_ptr<Context> context) noexcept
    : before_(std::exchange(duplicating, this)), context_(std::move(context)) {}

Duplicating::~Duplicating() { duplicating = before_; }

void Duplicating::handed_on(Communicator* fresh) noexcept {
  handed_ = fresh;
  if (context_) fresh->keep(context_.release());
}

void Duplicating::end(const char* call, MPI_Comm of, MPI_Comm made, bool complete) noexcept try {
  if (made == MPI_COMM_NULL) return;
  const Communicator* const parent = directory.find(of);
  if (!handed_ || !parent || handed_->members() != parent->members()) {
    if (complete) leave(call, made);
    return;
  }
  handed_->name(made);
  directory.insert(made, handed_);
  tell(call, *handed_->members(), true);
} catch (const std::bad_alloc&) {
  return;  // the host will be asked
}

}  // namespace heddle::mpi::communicators
