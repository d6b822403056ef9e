// mpi/communicators/communicator_registry.hpp: the members of communicators, as groups (group/),
// and what an operation needs of a communicator that the program may free before the operation
// ends.
//
//   if (const int world = communicators::world_rank(comm, dest); world >= 0) ...
//   if (communicators::reaches_beyond(comm)) ...            // no call of Heddle's goes over it
//   const communicators::Hold hold(comm);                   // ... the program frees comm ...
//   hold.raise(MPI_ERR_TRUNCATE);                           // by the handler that it had
//
// Some calls that make a communicator say how its group follows from the parent's (groups.hpp). For
// all other communicators, Heddle asks the host when the first announced message needs the group.
// Of an inter-communicator, Heddle keeps the remote group, because messages name ranks of that
// group.
//
// The object of a communicator is its attribute, so the host tells Heddle when the communicator is
// gone. The table only points to the object. Duplicates share one group, because the host hands the
// attribute on. Heddle does not believe an attribute that any other call has handed on (Open MPI
// 5.0.11 does so in MPI_Comm_create_group).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "group/group.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/numbers.hpp"
#include "threads/deferred.hpp"
#include "threads/handle_table.hpp"
#include "threads/reference.hpp"
#include "threads/reference_count.hpp"

namespace heddle::mpi::communicators {

/// The members of a communicator and its duplicates.
struct Members final : threads::ReferenceCount<Members> {
  Members(group::Group kept, bool strangers) : group(std::move(kept)), beyond(strangers) {}

  const group::Group group;  ///< Empty if a member is not of this MPI_COMM_WORLD (spawned, connected).
  const bool beyond;         ///< A member of either group is not of this MPI_COMM_WORLD. All ranks find the same.
};

class Communicator;

/// An object that a room above keeps with a communicator (exchange/shadow_comm.hpp). Freed with it.
class Context {
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  virtual ~Context() = default;
  /// The program is about to free the communicator, whose handle is still valid. Ends everything
  /// that uses the communicator.
  virtual void leave() noexcept {}
  /// Null: no communicator has it yet.
  [[nodiscard]] Communicator* of() const noexcept { return of_; }

 private:
  friend Communicator;
  Communicator* of_ = nullptr;
};

/// A communicator of the program. The object lives as long as the communicator, or as long as an
/// operation holds it.
class Communicator final : public threads::Deferred, public threads::ReferenceCount<Communicator> {
 public:
  explicit Communicator(MPI_Comm handle) noexcept : handle_(handle) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// Ends the use that the communicator has had, after the host has called back.
  void free() override {
    delete context_.exchange(nullptr);
    release();
  }
  /// Null: there is no context.
  [[nodiscard]] Context* context() const noexcept { return context_.load(std::memory_order_acquire); }
  void keep(Context* context) noexcept {
    if (context) context->of_ = this;
    context_.store(context, std::memory_order_release);
  }
  /// Null: nobody has asked for the members yet.
  [[nodiscard]] const Members* members() const noexcept { return members_.load(std::memory_order_acquire); }
  /// Takes over one use.
  void know(Members* members) noexcept;
  [[nodiscard]] MPI_Comm handle() const noexcept { return handle_; }
  void name(MPI_Comm handle) noexcept { handle_ = handle; }
  /// This process gives each communicator another number, and none 0.
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  /// The host has given it no error handler: then its errors are MPI_COMM_SELF's, whatever
  /// MPI_Comm_get_errhandler says.
  void mute(bool is = true) noexcept { mute_ = is; }
  [[nodiscard]] bool is_mute() const noexcept { return mute_; }
  [[nodiscard]] bool gone() const noexcept { return gone_.load(std::memory_order_acquire); }
  /// The program is about to free the communicator: keeps its error handler for operations under
  /// way, and ends its context.
  void leave();
  /// The host has freed the communicator.
  void go() noexcept { gone_.store(true, std::memory_order_release); }
  Raised raise(int code) const;

 private:
  friend threads::ReferenceCount<Communicator>;
  ~Communicator() override;
  static inline constinit std::atomic<std::uint32_t> last_number_{0};
  MPI_Comm handle_;
  const std::uint32_t number_ = ++last_number_;
  std::atomic<Members*> members_{nullptr};
  std::atomic<Context*> context_{nullptr};
  std::atomic<bool> gone_{false};
  bool mute_ = false;
  MPI_Errhandler errors_ = MPI_ERRHANDLER_NULL;  // set once it is gone
};

extern constinit threads::HandleTable<MPI_Comm, Communicator> directory;

/// open(): after MPI_Init, if a part of Heddle will ask for communicators. Further calls do
/// nothing. close(): before MPI_Finalize.
void open() noexcept;
void close() noexcept;
bool opened() noexcept;

/// The object of a communicator. Makes it if it is not there yet. Null: no memory, no such
/// communicator, or not open.
Communicator* met(MPI_Comm comm) noexcept;

/// Asks the host if necessary. Null: no memory, or no such communicator.
const Members* members(MPI_Comm comm);

/// True: some processes of the communicator are not of this MPI_COMM_WORLD. They may run without
/// Heddle, and have agreed to nothing. All ranks find the same without a message. False if nothing
/// is known.
inline bool reaches_beyond(MPI_Comm comm) {
  const Members* const found = members(comm);
  return found && found->beyond;
}

/// The rank in MPI_COMM_WORLD of rank `rank` of `comm`. -1: no such rank (MPI_PROC_NULL, mistakes),
/// or not known.
inline int world_rank(const Members* members, int rank) noexcept {
  return members && rank >= 0 && rank < members->group.size() ? members->group.world_rank(rank) : -1;
}
inline int world_rank(MPI_Comm comm, int rank) { return world_rank(members(comm), rank); }

/// The group, if it is known already. The host is not asked.
std::optional<group::Group> known(MPI_Comm comm) noexcept;

/// Holds the communicator of an operation, which the program may free meanwhile. Empty:
/// MPI_COMM_NULL.
class Hold {
 public:
  Hold() = default;
  explicit Hold(MPI_Comm comm) : comm_(comm), object_(met_or_known(comm)) {}

  /// True: this holds that communicator, and the program has not freed it.
  [[nodiscard]] bool is_of(MPI_Comm comm) const noexcept { return comm_ == comm && object_ && !object_->gone(); }
  /// True: both hold one communicator. Equal handles alone do not say so: the host may have given a
  /// handle out again.
  [[nodiscard]] bool same(const Hold& other) const noexcept { return object_ == other.object_ && comm_ == other.comm_; }
  /// The program has freed the communicator, so the handle means nothing any more.
  [[nodiscard]] bool gone() const noexcept { return object_ && object_->gone(); }
  [[nodiscard]] MPI_Comm handle() const noexcept { return comm_; }
  /// The communicator's number. 0: it is not known.
  [[nodiscard]] std::uint32_t number() const noexcept { return object_ ? object_->number() : 0; }
  /// The result of the function. It is -1, too, if the members are not known and must not be asked
  /// for: the program has freed the communicator, or a delete callback began the operation.
  [[nodiscard]] int world_rank(int rank) const {
    const Members* const known = object_ ? object_->members() : nullptr;
    if (known || gone() || !object_) return communicators::world_rank(known, rank);
    return communicators::world_rank(comm_, rank);
  }
  /// Calls the communicator's error handler; without one, MPI_COMM_SELF's. Returns as
  /// communicators::raise().
  Raised raise(int code) const;

 private:
  static Communicator* met_or_known(MPI_Comm comm) noexcept {
    Communicator* const known = directory.find(comm);
    return known ? known : communicators::met(comm);
  }
  MPI_Comm comm_ = MPI_COMM_NULL;
  threads::Reference<Communicator> object_;
};

/// `call` (a literal) has just made a communicator of this group. The host's size and the own rank
/// are compared with the group. If they disagree, the host will be asked for the group.
void keep(const char* call, MPI_Comm comm, const group::Group& group) noexcept;

/// The communicator whose handler hears of errors on `comm`: `comm` itself, or the communicator for
/// errors without one. That is MPI_COMM_SELF; under MPICH it may be MPI_COMM_WORLD. MPI_COMM_NULL:
/// a call without a communicator.
MPI_Comm heard_on(MPI_Comm comm);

/// Raises an error that the host does not know of. MPI_COMM_NULL: raises it on MPI_COMM_SELF.
/// Returns the code that the host returns for such an error: MPICH returns MPI_SUCCESS if a handler
/// of the program has heard of it.
Raised raise(MPI_Comm comm, int code);

/// The program has made an error handler. Before that, a failing call of the host always returns an
/// error.
void expect_handlers() noexcept;
/// True: a call of the host on `comm` may fail and return MPI_SUCCESS. Costs a load if the program
/// has made no handler. The handler has heard of such an error, so Heddle need not raise it. But
/// Heddle must not take the call for a success. So before the call, Heddle sets the request to
/// null, empties the status, and fills the staging buffer with the program's data.
bool hides_errors(MPI_Comm comm);

/// Called for each communicator of MPI_Comm_create and MPI_Comm_create_group. MPICH 5.0.2 gives
/// these no error handler.
void without_handler(MPI_Comm made);

/// Lives while a call of the program frees or disconnects a communicator. Meanwhile, delete
/// callbacks of its attributes may communicate on it. The host takes no attribute any more, so
/// Heddle makes nothing for the communicator: this object keeps its members, and its collectives
/// are the host's. Operations that began earlier find the handle gone.
///   {
///     const Freeing freeing(*comm);
///     result = PMPI_Comm_free(comm);
///   }
class Freeing {
 public:
  explicit Freeing(MPI_Comm comm);
  ~Freeing();
  Freeing(const Freeing&) = delete;
  Freeing& operator=(const Freeing&) = delete;

  /// Null: no call of this thread is freeing that one.
  static Freeing* of(MPI_Comm comm) noexcept;

  /// Null: the host does not say, or there is no memory.
  const Members* members() noexcept;
  /// Rooms above keep their objects of the communicator here until the communicator is freed.
  std::unique_ptr<Context> context;

 private:
  MPI_Comm comm_;
  threads::Reference<Communicator> object_;
  Freeing* before_;  // a callback may free others
};

/// `call` has just made a communicator. The host is asked for its group now if a report is wanted,
/// otherwise when a message needs the group.
void leave(const char* call, MPI_Comm comm) noexcept;

/// Heddle sends nothing over this communicator or its duplicates, as if it reached beyond
/// MPI_COMM_WORLD. Its ranks are threads, or procedures that Heddle does not know may receive its
/// messages.
void leave_to_host(const char* call, MPI_Comm comm) noexcept;
/// Does so for a communicator of threads, which takes no attributes (MPICH 5.0.2 crashes). Call
/// threads_end() before the host frees it.
void leave_threads_to_host(MPI_Comm comm) noexcept;
void threads_end(MPI_Comm comm);

/// Lives while MPI_Comm_dup or a similar call runs.
///
///   Duplicating duplicating;
///   const int result = PMPI_Comm_dup(comm, made);
///   if (result == MPI_SUCCESS) duplicating.end("MPI_Comm_dup", comm, *made, true);
class Duplicating {
 public:
  /// @param context  The context of the duplicate, if the host hands the attribute on.
  explicit Duplicating(std::unique_ptr<Context> context = nullptr) noexcept;
  ~Duplicating();
  Duplicating(const Duplicating&) = delete;
  Duplicating& operator=(const Duplicating&) = delete;

  /// `made` is a duplicate of `of`. Not `complete`: it will be one, and only its handle may be
  /// used.
  void end(const char* call, MPI_Comm of, MPI_Comm made, bool complete) noexcept;
  /// The host's callback has made the attribute of the duplicate.
  void handed_on(Communicator* fresh) noexcept;

 private:
  Duplicating* before_;  // a callback of the program may duplicate, too
  std::unique_ptr<Context> context_;
  Communicator* handed_ = nullptr;  // of the last callback
};

}  // namespace heddle::mpi::communicators

namespace heddle::mpi {

/// Raises an error that Heddle itself has found. MPI_COMM_NULL: no communicator is known. This is
/// the last step of a call, because the program's handler may throw: through here, as through the
/// host. So a function that calls the host on a communicator of the program is not noexcept, and
/// neither are its callers. Objects own what these functions hold, and release it.
inline Raised raise_new(int result, MPI_Comm comm) {
  return result == MPI_SUCCESS ? Raised() : communicators::raise(comm, result);
}
/// Raises an error of an operation that goes on after the call.
inline Raised raise_new(int result, const communicators::Hold& comm) {
  return result == MPI_SUCCESS ? Raised() : comm.raise(result);
}
/// Raises the error only if the handler has not heard of this call yet (`heard`). A handler hears
/// once.
template <class Comm>
int raise_new(int result, Raised heard, const Comm& comm) {
  return heard == MPI_SUCCESS ? raise_new(result, comm) : result;
}

/// Within a block, the host returns errors on a communicator of the program to Heddle. The
/// program's error handler does not hear of them.
///
///   {
///     const Quiet quiet(comm);
///     error = PMPI_Wait(&request, &status);
///   }
///   return raise_new(error, comm);  // once, where the program may throw
class Quiet {
 public:
  explicit Quiet(MPI_Comm comm) : comm_(communicators::heard_on(comm)) {
    known_ = PMPI_Comm_get_errhandler(comm_, &before_) == MPI_SUCCESS;
    // If another thread has a Quiet on it, that thread restores the handler.
    known_ = known_ && before_ != MPI_ERRORS_RETURN && PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN) == MPI_SUCCESS;
  }
  /// The handler of a communicator that the program has freed cannot be changed.
  explicit Quiet(const communicators::Hold& comm) : Quiet(comm.gone() ? MPI_COMM_SELF : comm.handle()) {}
  ~Quiet() {
    if (known_) PMPI_Comm_set_errhandler(comm_, before_);
    if (before_ != MPI_ERRHANDLER_NULL) PMPI_Errhandler_free(&before_);
  }
  Quiet(const Quiet&) = delete;
  Quiet& operator=(const Quiet&) = delete;

 private:
  MPI_Comm comm_;
  MPI_Errhandler before_ = MPI_ERRHANDLER_NULL;
  bool known_ = false;
};

}  // namespace heddle::mpi
