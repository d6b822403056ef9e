// mpi/communicators/known.hpp: who takes part in a communicator, kept as a group (group/), and what operations need of one that
// the program may free before they are over. Includes group/, process/, threads/.
//
//   if (const int world = communicators::world_rank(comm, dest); world >= 0) ...
//   if (communicators::reaches_beyond(comm)) ...            // no call of Heddle's goes over it
//   const communicators::Hold hold(comm);                   // ... the program frees comm ...
//   hold.raise(MPI_ERR_TRUNCATE);                           // by the handler that it had
//
// What the call that makes a communicator says of its group is composed from the parent's (groups.hpp); of all others the host
// is asked when the first announced message wants to know. Of an inter-communicator the remote group is kept: that is what
// ranks mean in messages.
//
// What is known hangs on the communicator as an attribute, so the host tells us when it is gone; the table only points to it.
// Duplicates have one group together: the host hands the attribute on. An attribute that was handed on by any other call is not
// believed (Open MPI 5.0.11 does so in MPI_Comm_create_group).
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "group/group.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/numbers.hpp"
#include "threads/counted.hpp"
#include "threads/deferred.hpp"
#include "threads/held.hpp"
#include "threads/table.hpp"

namespace heddle::mpi::communicators {

/// Who takes part in a communicator and its duplicates.
struct Members final : threads::Counted<Members> {
  Members(group::Group kept, bool strangers) : group(std::move(kept)), beyond(strangers) {}

  const group::Group group;  ///< Empty if one of it is not of this MPI_COMM_WORLD (spawned, connected).
  const bool beyond;         ///< One is not, be it in the local group of an inter-communicator. All ranks find the same.
};

class Communicator;

/// What rooms above keep of a communicator (exchange/shadow_comm.hpp): freed with it.
class Context {
 public:
  Context() = default;
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
  virtual ~Context() = default;
  /// The program is about to free the communicator, whose handle is still valid: ends all that uses it.
  virtual void leave() noexcept {}
  /// Null: of none yet.
  [[nodiscard]] Communicator* of() const noexcept { return of_; }

 private:
  friend Communicator;
  Communicator* of_ = nullptr;
};

/// A communicator of the program's: there as long as it is, or as operations hold it.
class Communicator final : public threads::Deferred, public threads::Counted<Communicator> {
 public:
  explicit Communicator(MPI_Comm handle) noexcept : handle_(handle) {}
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// The host has called back: its use ends.
  void free() override {
    delete context_.exchange(nullptr);
    release();
  }
  /// Null: there is none.
  [[nodiscard]] Context* context() const noexcept { return context_.load(std::memory_order_acquire); }
  void keep(Context* context) noexcept {
    if (context) context->of_ = this;
    context_.store(context, std::memory_order_release);
  }
  /// Null: nobody has asked yet.
  [[nodiscard]] const Members* members() const noexcept { return members_.load(std::memory_order_acquire); }
  /// Takes over one use.
  void know(Members* members) noexcept;
  [[nodiscard]] MPI_Comm handle() const noexcept { return handle_; }
  void name(MPI_Comm handle) noexcept { handle_ = handle; }
  /// This process gives each communicator another number, and none 0.
  [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
  /// The host has given it no error handler: then its errors are MPI_COMM_SELF's, whatever MPI_Comm_get_errhandler says.
  void mute(bool is = true) noexcept { mute_ = is; }
  [[nodiscard]] bool is_mute() const noexcept { return mute_; }
  [[nodiscard]] bool gone() const noexcept { return gone_.load(std::memory_order_acquire); }
  /// The program is about to free the communicator: keeps its error handler for operations under way, and ends its context.
  void leave();
  /// The host has freed it, if nobody has said so before.
  void go() noexcept { gone_.store(true, std::memory_order_release); }
  Raised raise(int code) const;

 private:
  friend threads::Counted<Communicator>;
  ~Communicator() override;
  static inline constinit std::atomic<std::uint32_t> last_number_{0};
  MPI_Comm handle_;
  const std::uint32_t number_ = ++last_number_;
  std::atomic<Members*> members_{nullptr};
  std::atomic<Context*> context_{nullptr};
  std::atomic<bool> gone_{false};
  bool mute_ = false;
  MPI_Errhandler errors_ = MPI_ERRHANDLER_NULL;  // once it is gone
};

extern constinit threads::HandleTable<MPI_Comm, Communicator> directory;

/// After MPI_Init, if anybody is going to ask; again: nothing. Before MPI_Finalize.
void open() noexcept;
void close() noexcept;
bool opened() noexcept;

/// Null: no memory, no such communicator, or not open.
Communicator* met(MPI_Comm comm) noexcept;

/// Null: no memory, no such communicator. Asks the host if need be.
const Members* members(MPI_Comm comm);

/// Whether some of its processes are not of this MPI_COMM_WORLD: they may be without Heddle, and have agreed to nothing. The
/// same on all of its ranks, and none is asked. False where nothing is known.
inline bool reaches_beyond(MPI_Comm comm) {
  const Members* const found = members(comm);
  return found && found->beyond;
}

/// The rank in MPI_COMM_WORLD of rank `rank` of `comm`. -1: no such rank (MPI_PROC_NULL, mistakes), or not known.
inline int world_rank(const Members* members, int rank) noexcept {
  return members && rank >= 0 && rank < members->group.size() ? members->group.world_rank(rank) : -1;
}
inline int world_rank(MPI_Comm comm, int rank) { return world_rank(members(comm), rank); }

/// The group, if it is known already: nobody is asked.
std::optional<group::Group> known(MPI_Comm comm) noexcept;

/// What an operation keeps of its communicator, whatever becomes of the handle. Empty: MPI_COMM_NULL.
class Hold {
 public:
  Hold() = default;
  explicit Hold(MPI_Comm comm) : comm_(comm), object_(met_or_known(comm)) {}

  /// Whether both are of one communicator: a handle alone may be another one's by now.
  [[nodiscard]] bool same(const Hold& other) const noexcept { return object_ == other.object_ && comm_ == other.comm_; }
  /// The handle means nothing any more.
  [[nodiscard]] bool gone() const noexcept { return object_ && object_->gone(); }
  [[nodiscard]] MPI_Comm handle() const noexcept { return comm_; }
  /// The communicator's number. 0: it is not known.
  [[nodiscard]] std::uint32_t number() const noexcept { return object_ ? object_->number() : 0; }
  /// As the function. -1, too, if nobody has asked before the communicator was freed.
  [[nodiscard]] int world_rank(int rank) const {
    if (gone() || !object_) return object_ ? communicators::world_rank(object_->members(), rank) : -1;
    return communicators::world_rank(comm_, rank);
  }
  /// Calls the communicator's error handler; without one, MPI_COMM_SELF's. Returns as communicators::raise().
  Raised raise(int code) const;

 private:
  static Communicator* met_or_known(MPI_Comm comm) noexcept {
    Communicator* const known = directory.find(comm);
    return known ? known : communicators::met(comm);
  }
  MPI_Comm comm_ = MPI_COMM_NULL;
  threads::Held<Communicator> object_;
};

/// A communicator that was just made by `call` (a literal) is of this group. Held against the host's size and own rank; if they
/// disagree, the host will be asked.
void keep(const char* call, MPI_Comm comm, const group::Group& group) noexcept;

/// The communicator whose error handler hears of errors on `comm`: `comm`, or MPI_COMM_SELF. MPI_COMM_NULL: of calls without.
MPI_Comm heard_on(MPI_Comm comm);

/// Raises an error that the host does not know of. MPI_COMM_NULL: on MPI_COMM_SELF. Returns the code that the host returns for
/// such an error: MPICH returns MPI_SUCCESS if a handler of the program has heard of it.
Raised raise(MPI_Comm comm, int code);

/// The program has made an error handler. Until then a call of the host that fails says so.
void expect_handlers() noexcept;
/// True: a call of the host on `comm` may fail and return MPI_SUCCESS. Costs a load where the program has made no handler.
/// The handler has heard of the error then. Only must Heddle not take the call for a success. So a request is null before the
/// host is asked for it, a status is empty, and a staging buffer holds what the program has there.
bool hides_errors(MPI_Comm comm);

/// MPICH 5.0.2 gives what MPI_Comm_create and MPI_Comm_create_group make no error handler. To be told of each.
void without_handler(MPI_Comm made);

/// While a call of the program's frees a communicator, or disconnects it. Delete callbacks of its attributes may communicate on
/// it meanwhile. The host takes no attribute any more, and Heddle makes nothing for the communicator: its members are known as
/// long as this object lives, and its collectives are the host's. Operations that were begun before find the handle gone.
///
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
  /// Rooms above keep their objects of the communicator here until it is freed.
  std::unique_ptr<Context> context;

 private:
  MPI_Comm comm_;
  threads::Held<Communicator> object_;
  Freeing* before_;  // a callback may free others
};

/// A communicator that was just made by `call`: the host is asked now if a report is wanted, otherwise when a message does.
void leave(const char* call, MPI_Comm comm) noexcept;

/// Heddle sends nothing over this communicator or its duplicates, as if it reached beyond MPI_COMM_WORLD: its ranks are
/// threads, or procedures that Heddle does not know may receive its messages.
void leave_to_host(const char* call, MPI_Comm comm) noexcept;
/// The same of a communicator of threads, which takes no attributes (MPICH 5.0.2 crashes). Call its end before the host frees
/// it.
void leave_threads_to_host(MPI_Comm comm) noexcept;
void threads_end(MPI_Comm comm);

/// While MPI_Comm_dup or one of its like runs.
///
///   Duplicating duplicating;
///   const int result = PMPI_Comm_dup(comm, made);
///   if (result == MPI_SUCCESS) duplicating.end("MPI_Comm_dup", comm, *made, true);
class Duplicating {
 public:
  /// @param context  What the duplicate is to have, if the host hands the attribute on.
  explicit Duplicating(std::unique_ptr<Context> context = nullptr) noexcept;
  ~Duplicating();
  Duplicating(const Duplicating&) = delete;
  Duplicating& operator=(const Duplicating&) = delete;

  /// `made` is a duplicate of `of`, or is going to be one (not complete: its handle alone is looked at).
  void end(const char* call, MPI_Comm of, MPI_Comm made, bool complete) noexcept;
  /// The host has called back: the attribute of the duplicate.
  void handed_on(Communicator* fresh) noexcept;

 private:
  Duplicating* before_;  // a callback of the program may duplicate, too
  std::unique_ptr<Context> context_;
  Communicator* handed_ = nullptr;  // the last one
};

}  // namespace heddle::mpi::communicators

namespace heddle::mpi {

/// Raises an error of Heddle's own. MPI_COMM_NULL: no communicator is known. The last step of a call: the program's handler may
/// throw, through here as through the host. So whatever calls the host on a communicator of the program's, and whatever calls
/// that, is not noexcept, and holds what it has by objects that let go of it.
inline Raised raise_new(int result, MPI_Comm comm) {
  return result == MPI_SUCCESS ? Raised() : communicators::raise(comm, result);
}
/// The same for an operation that goes on after the call.
inline Raised raise_new(int result, const communicators::Hold& comm) {
  return result == MPI_SUCCESS ? Raised() : comm.raise(result);
}
/// The same if the handler may have heard of the call already. It hears once.
template <class Comm>
int raise_new(int result, Raised heard, const Comm& comm) {
  return heard == MPI_SUCCESS ? raise_new(result, comm) : result;
}

/// For the length of a block, errors on a communicator of the program's are returned to Heddle, and its error handler does not
/// hear of them.
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
    // Where another thread is quiet, it restores the handler.
    known_ = known_ && before_ != MPI_ERRORS_RETURN && PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN) == MPI_SUCCESS;
  }
  /// Of a communicator that the program has freed nothing can be changed.
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
