// mpi/p2p/probe_queue.hpp: descriptors that a probe has come across. The program must be told the size of the message, which
// the length of the descriptor stands for (engine/lengths.hpp): so a probe takes nothing, and a matched probe gives out what
// the host has matched. Includes node.hpp.
//
//   MPI_Iprobe(3, 7, comm) ──▶ 224 bytes from 3? ──▶ what do 224 bytes from 3 mean? ──▶ status: 3, 7, 1 MiB
//
// Where a length may be either (unclear), the probe has to receive it, and holds it until a receive or a matched probe asks for
// it:
//
//   MPI_Recv(3, 7, comm)   ──▶ held? ──▶ sent to ourselves on a communicator of our own, matched there, received as a message
//
// Sent to ourselves, because then the handle of a matched message, and the request of a non-blocking receive, are real ones of
// the host.
#pragma once

#include <atomic>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>

#include "engine/lengths.hpp"
#include "mpi/communicators/known.hpp"
#include "mpi/types/arguments.hpp"

namespace heddle::mpi {

/// Whom a message goes to, or may come from (MPI-5.0 §3.2.3).
struct Envelope {
  int rank;
  int tag;
  MPI_Comm comm;

  /// Neither nobody's nor a mistake.
  [[nodiscard]] bool is_somebody() const noexcept { return rank != MPI_PROC_NULL && comm != MPI_COMM_NULL; }
};

/// Where a message came from, as its status must say.
struct Origin {
  communicators::Hold comm;
  int source = MPI_PROC_NULL;
  int tag = 0;
  layout::Bytes bytes = 0;  ///< Of the message, not of its descriptor.
};

class ProbeQueue {
 public:
  static ProbeQueue& of_process() noexcept;

  /// Whether anything is held, or matched: what every receive asks first. One load.
  [[nodiscard]] static bool any() noexcept { return count_.load(std::memory_order_acquire) > 0; }

  // Errors have been raised, by the host or here, and nothing is lost by them.

  /// MPI_Iprobe; MPI_SUCCESS and flag, or an error.
  int probe(int source, int tag, MPI_Comm comm, bool blocking, int* flag, MPI_Status* status);
  /// MPI_Improbe.
  int match(int source, int tag, MPI_Comm comm, bool blocking, int* flag, MPI_Message* message, MPI_Status* status);

  /// For a receive: a message that is held for it, as a matched one, or an error. Nothing: none, the host has to look.
  [[nodiscard]] Done take(int source, int tag, const communicators::Hold& comm, MPI_Message* message);
  /// The same of the process's queue, where anything is held.
  [[nodiscard]] static Done take_for(const Envelope& from, MPI_Message* message) {
    return any() ? of_process().take(from.rank, from.tag, communicators::Hold(from.comm), message) : Done();
  }
  /// Before MPI_Mrecv, MPI_Imrecv: what a matched message of ours is; it is ours no longer. Nothing: the host's.
  [[nodiscard]] std::optional<Origin> origin(MPI_Message message) noexcept;

  /// Frees the communicator of its own, and lets go what the program has matched and never received.
  void close() noexcept;

 private:
  struct Item {
    Origin origin;
    alignas(16) std::byte bytes[engine::Lengths::longest];
    int length = 0;                          ///< So many of them.
    MPI_Message kept = MPI_MESSAGE_NULL;     ///< Not received, after all: no descriptor has this length.
    MPI_Request sent = MPI_REQUEST_NULL;     ///< To ourselves; null: the program gets it as it has come.
    MPI_Message matched = MPI_MESSAGE_NULL;  ///< As the program knows it, until it receives it.
  };
  using Items = std::list<Item>;

  Items::iterator find(int source, int tag, const communicators::Hold& comm);
  /// An item that is not held yet: made before the host matches anything. Empty: no memory.
  static Items fresh_item() noexcept;
  /// The message that the host has matched may be a descriptor: receives it into the item.
  int hold(Items& fresh, MPI_Message* message, MPI_Comm comm, const MPI_Status& matched);
  /// The host has matched what may bring a descriptor: errors of its receive are raised on the communicator.
  int hold_up_to(const MPI_Status& found, MPI_Comm comm, bool& held);
  void hand_out(Items& fresh, const Origin& origin, MPI_Message message);
  /// An error has been raised, and the item is still held.
  int send_to_self(Items::iterator item, MPI_Message* message);
  static void tell(const Item& item, MPI_Status* status) noexcept;

  static inline constinit std::atomic<int> count_{0};  // held and matched
  std::recursive_mutex lock_;
  Items held_;
  Items sent_;  // to ourselves, until the program has received it and the host has done with the bytes
  MPI_Comm own_ = MPI_COMM_NULL;
  int next_tag_ = 0;
};

/// What has arrived; -1: the host does not say.
inline layout::Bytes bytes_of(const MPI_Status& status) noexcept {
  MPI_Count bytes = 0;
  return PMPI_Get_elements_x(&status, MPI_BYTE, &bytes) == MPI_SUCCESS ? layout::Bytes{bytes} : -1;
}

/// After a matched message of ours has been received: its status says where it came from.
void set_origin(MPI_Status* status, const Origin& origin) noexcept;

}  // namespace heddle::mpi
