// mpi/requests/freed.cpp: a list of freed requests, which later calls of the program look through.
#include "mpi/requests/freed.hpp"

#include <strings.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <mutex>
#include <optional>

#include "engine/base/wait.hpp"
#include "mpi/types/typed_buffer.hpp"
#include "transport/fabric/fabric.hpp"

namespace heddle::mpi::requests {

HEDDLE_READ_BY_EVERY_CALL constinit threads::Lingering<Pending> freed;

namespace {

/// The first error. It is raised when the list is in order again, because the program's handler may
/// throw.
struct Wrong {
  int code = MPI_SUCCESS;
  communicators::Hold where;
};

/// True: the host knows already that the request is not complete. Raises no error.
#if HEDDLE_FAMILY_MPICH
/// MPICH does not report an error in an operation whose request is freed.
constexpr bool tells_errors = false;
bool is_open(MPI_Request host) { return PMPIX_Request_is_complete && !PMPIX_Request_is_complete(host); }
#elif HEDDLE_FAMILY_OPENMPI
constexpr bool tells_errors = true;
bool is_open(MPI_Request host) {
  int done = 0;
  return PMPI_Request_get_status(host, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done;
}
#else
constexpr bool tells_errors = true;
bool is_open(MPI_Request /*host*/) { return false; }
#endif

/// True: the host's MPI_Finalize waits for freed receives.
bool host_waits_for_freed() {
#if HEDDLE_FAMILY_MPICH
  const char* const set = std::getenv("MPIR_CVAR_FINALIZE_WAIT");
  if (!set) return false;
  for (const char* const yes : {"1", "yes", "true", "on"})
    if (strcasecmp(set, yes) == 0) return true;
#endif
  return false;
}

/// `look`: the host has just run its progress engine. `progress`: lets the host run it. `wait`:
/// returns when the request is complete.
enum class How { look, progress, wait };

/// True: the request is gone.
bool ended(Pending& pending, How how, Wrong& wrong) {
  const bool wait = how == How::wait;
  MPI_Status status;
  int done = 0;
  MPI_Request& host = pending.record.inner;
  pending.advance(wait);
  if (how == How::look && is_open(host)) return false;
  // The program's handler must not be called here: it may leave by longjmp. Heddle cannot silence
  // the handler of a communicator that is gone, if the host calls it.
  const communicators::Hold& comm = pending.communicator();
  const bool gone = comm.gone() || comm.handle() == MPI_COMM_NULL;
  // One thread at a time: another Quiet would take this one's handler for the program's.
  static constinit std::mutex quietly;
  std::unique_lock one(quietly, std::defer_lock);
  std::optional<Quiet> quiet;
  if (!gone || !tells_errors) {
    if (wait)
      one.lock();
    else if (!one.try_lock())
      return false;
    quiet.emplace(gone ? MPI_COMM_SELF : comm.handle());
  }
  const int error = wait ? PMPI_Wait(&host, &status) : PMPI_Test(&host, &done, &status);
  if (error == MPI_SUCCESS && !done && !wait) return false;
  const int code = pending.finish(status, error);
  const bool heard = !quiet && code == error;
  if (tells_errors && code != MPI_SUCCESS && !heard && wrong.code == MPI_SUCCESS) wrong = {code, comm};
  if (host != MPI_REQUEST_NULL) PMPI_Request_free(&host);  // a persistent one
  return true;
}

}  // namespace

void let_go(Pending* pending, MPI_Request host) noexcept {
  pending->record.inner = host;
  freed.add(pending);
}

namespace {

void finish(How how) {
  Wrong wrong;
  freed.look([&](Pending& pending) { return ended(pending, how, wrong); });
  raise_new(wrong.code, wrong.where);
}

/// ns that a call waits for the rest of a message that it has seen first, and another call.
constexpr std::int64_t of_first = 1'000'000'000, of_others = 50'000'000;

}  // namespace

// Where the library alone carries both, a message is in place before the program learns of the next
// one by the same sender. So the call waits for the rest of what has begun to arrive, between two
// looks. A sender may be in no call for long: it holds up the call that has seen the message first
// for a second, and others not for so long.
void finish_complete_freed() {
  Wrong wrong;
  const auto now = std::chrono::steady_clock::now();
  const std::int64_t begin = std::chrono::nanoseconds(now.time_since_epoch()).count();
  std::int64_t last = 0;
  for (engine::Patience patience(true);; patience.pause()) {
    std::int64_t until = 0;
    const bool all = freed.look(
        [&](Pending& pending) {
          if (ended(pending, How::look, wrong)) return true;
          const std::int64_t since = pending.arrives_since();
          if (since != 0) until = std::max(until, since + (since >= begin ? of_first : of_others));
          return false;
        },
        now);
    last = all ? until : std::max(last, until);
    if (last == 0 || last <= transport::fabric::steady_ns()) break;
  }
  raise_new(wrong.code, wrong.where);
}

void wait_for_freed() {
  Wrong wrong;
  freed.look([&](Pending& pending) { return ended(pending, pending.ends_by_itself() ? How::wait : How::progress, wrong); });
  raise_new(wrong.code, wrong.where);
  if (!freed.any() || !host_waits_for_freed()) return;
  const auto over = [] {
    finish(How::progress);
    return !freed.any();
  };
  engine::wait_until(over, true);
}

void look_after_last_freed() {
  constexpr int looks = 100;  // the host may have more to do before it knows
  for (int i = 0; i < looks && freed.any(); ++i) finish(How::progress);
}

void finish_freed() {
  Wrong wrong;
  // The host may still write into the buffers of the operations that are left. These are never
  // deleted.
  freed.give_up([&](Pending& pending) { return ended(pending, pending.ends_by_itself() ? How::wait : How::progress, wrong); });
  raise_new(wrong.code, wrong.where);
}

}  // namespace heddle::mpi::requests
