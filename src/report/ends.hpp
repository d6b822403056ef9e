// report/ends.hpp: the messages that a call begins or completes, and the ranks for which it waits.
// timed.hpp reads them from the arguments. message_log.hpp records them.
#pragma once

#include <cstdint>

namespace heddle::report {

/// The requests that a call completes.
enum class Completes : std::uint8_t {
  none,
  one,        ///< MPI_Wait, MPI_Test.
  all,        ///< MPI_Waitall, MPI_Testall.
  any,        ///< MPI_Waitany, MPI_Testany.
  some,       ///< MPI_Waitsome, MPI_Testsome.
  freed,      ///< MPI_Request_free.
  cancelled,  ///< MPI_Cancel.
};

/// The ranks that a blocking collective waits for.
enum class Meets : std::uint8_t {
  nobody,
  all,      ///< Each waits for the others: MPI_Barrier, MPI_Allreduce.
  root,     ///< The others wait for the root: MPI_Bcast.
  at_root,  ///< The root waits for the others: MPI_Reduce.
};

/// Pointers are the program's own; null: the call has no such argument. Requests and statuses are
/// arrays of the host's types, which Meanings reads.
struct Ends {
  static constexpr int nobody = -1;  ///< No such end, or MPI_PROC_NULL.
  static constexpr int any = -2;     ///< MPI_ANY_SOURCE, MPI_ANY_TAG.

  bool of_messages = false;  ///< The procedure sends or receives messages, though this call may have none.
  int destination = nobody;  ///< Of a message that the call sends.
  int tag = 0;
  int source = nobody;  ///< Of a message that the call receives.
  int source_tag = 0;
  bool probes = false;            ///< MPI_Probe: a later call receives the message.
  const void* begun = nullptr;    ///< The new request.
  const void* started = nullptr;  ///< Persistent requests that the call starts.
  Completes completes = Completes::none;
  const void* completed = nullptr;  ///< The requests before the call.
  /// A number for each of these requests (Observer::number), 0: none. Null: there are none, because
  /// one thread calls MPI, or because there are too many requests.
  const std::uint64_t* numbers = nullptr;
  std::int64_t requests = 1;       ///< Number of requests in `started` or `completed`.
  const int* flag = nullptr;       ///< Without it, the call has always done its work.
  const int* index = nullptr;      ///< The completed request (Completes::any).
  const int* indices = nullptr;    ///< The completed requests (Completes::some).
  const int* how_many = nullptr;   ///< Number of `indices`.
  const void* statuses = nullptr;  ///< Null: nobody has asked for them.
  Meets meets = Meets::nobody;
  bool made_later = false;     ///< MPI_Comm_idup: the communicator is not complete yet.
  const void* made = nullptr;  ///< The new communicator.
};

}  // namespace heddle::report
