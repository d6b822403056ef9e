// mpi/requests/pending.hpp: the work that Heddle still has to do for a request of the program.
//
// An operation holds its communicator (communicators::Hold) and its datatypes (Derived) for as long
// as it needs them. The program may have freed the handles.
//
//   class ReceiveOperation final : public Pending {
//     int finish(MPI_Status& status, int error) noexcept override { staged_.unpack(error, &status); return error; }
//   };
//   auto* pending = new (std::nothrow) ReceiveOperation(...);     // from a free list: a warm program allocates nothing
//   PMPI_Irecv(packed, ..., request);
//   requests::track(*request, pending);                   // request_table.hpp; the completion calls do the rest
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

#include "layout/immortal.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "mpi/process/host.hpp"
#include "threads/free_lists.hpp"
#include "threads/lingering.hpp"

namespace heddle::mpi {

/// One object for each request in the table. Every handle that the program sees is a real request
/// of the host.
class Pending : public threads::Lingers<Pending> {
 public:
  Pending() = default;
  Pending(const Pending&) = delete;
  Pending& operator=(const Pending&) = delete;
  virtual ~Pending() = default;

  /// The host has completed its part with `status`, and returned `error`. Does the rest (puts data
  /// in place; may spin shortly) and corrects the status. Returns the MPI error code of the
  /// operation. If the code is not the host's, the caller raises it on communicator(), once for its
  /// call. Called once for each operation, by one thread.
  virtual int finish(MPI_Status& status, int error) noexcept = 0;
  [[nodiscard]] virtual const communicators::Hold& communicator() const noexcept {
    static layout::Immortal<communicators::Hold> none;
    return *none;
  }

  /// Carries on an operation of several messages. Its handle is a generalized request, for which
  /// the host itself does nothing. Every completion call does this before it asks the host. `wait`:
  /// returns when nothing is left to do.
  virtual void advance(bool /*wait*/) noexcept {}
  /// True: it needs advance(). The host must not be left alone with such a request.
  [[nodiscard]] virtual bool advances() const noexcept { return false; }

  /// True: little is left to do once the host has completed it. Nothing is gained by doing this
  /// while other requests are under way.
  [[nodiscard]] virtual bool is_brief() const noexcept { return false; }

  /// Memory of the program into which the host may have received a descriptor that Heddle has not
  /// looked at yet. It has at least 128 bytes in one piece. Null: there is none.
  [[nodiscard]] virtual const void* lands() const noexcept { return nullptr; }

  /// Of a request that the program has freed. A part of its message is here, and the rest is on its
  /// way: ns of the steady clock at the first call that saw this. 0: there is no such part.
  virtual std::int64_t arrives_since() noexcept { return 0; }

  /// MPI_Cancel of a send is not passed on: the send completes as if nobody had asked (MPI-5.0
  /// §3.8.4). Open MPI 5.0.11 and MPICH 5.0.2 cancel no send, and MPICH crashes when a program
  /// cancels a synchronous one that is still open, such as a descriptor (docs/protocol.md, rule 8).
  [[nodiscard]] virtual bool is_send() const noexcept { return false; }

  /// True: MPI_Finalize waits for the operation of a freed request. False for a receive, which may
  /// never be matched.
  [[nodiscard]] virtual bool ends_by_itself() const noexcept { return true; }

  // From free lists: a warm program allocates nothing.
  static void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return memory_.take(size); }
  static void operator delete(void* memory, std::size_t size) noexcept { memory_.give(memory, size); }
  static void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }  // no constructor throws

  // The completion calls keep these (completion.hpp).

  enum class Progress : int { open, finishing, finished };
  struct Record {
    MPI_Request handle = MPI_REQUEST_NULL;  ///< The handle that the program has.
    MPI_Request inner = MPI_REQUEST_NULL;   ///< If `substituted`, the host is asked about this request instead.
    bool substituted = false;
    bool persistent = false;
    bool active = true;  ///< Only persistent ones are ever inactive: then the handle is the host's business.
    /// A call is completing it: the host may have given its handle to another thread's request
    /// already.
    std::atomic<bool> completing{false};
    std::uint64_t serial = 0;  ///< Among all that have come into the table.
    bool cancelled = false;    ///< MPI_Cancel was called; whether in time, the status says.
    bool lands = false;        ///< A short receive into the program's memory is under way as it was posted (p2p/landing.hpp).
    bool by_host = false;      ///< A persistent send that the host carries: nothing is left to do once it is complete.
    bool may_land = false;     ///< A persistent receive: if the host starts it, it lands.
    /// A persistent send: the host carries so many starts more before anybody asks again.
    std::uint8_t starts_by_host = 0;
    std::atomic<Progress> progress{Progress::open};
    MPI_Status status;  ///< If finished early, by MPI_Request_get_status.
    int error = MPI_SUCCESS;
    bool hosts_error = false;  ///< The host raises `error` when it completes the request.
  };
  Record record;

 protected:
  /// A member of operations whose handle alone the host must not be asked about: they need
  /// advance(), or are `substituted`. While there is such an operation, requests are looked up
  /// before the host is asked (poll.hpp).
  class Indirect {
   public:
    Indirect() noexcept;
    Indirect(const Indirect&) = delete;
    Indirect& operator=(const Indirect&) = delete;
    ~Indirect();
  };

 private:
  static inline constinit threads::FreeLists memory_{};
};

/// A persistent request: in the table from its _init to its MPI_Request_free.
class Persistent : public Pending {
 public:
  Persistent() {
    record.persistent = true;
    record.active = false;
  }
  /// True: MPI_Start of the handle is all that the next start needs.
  [[nodiscard]] virtual bool starts_by_host() noexcept { return false; }
  /// The host has started the handle.
  virtual void started_by_host() noexcept { record.active = true; }
  /// MPI_Start. Starts the host's own request, or an operation that has a request of its own
  /// (record.inner). Returns MPI's error code.
  virtual int start() = 0;

 private:
  [[no_unique_address]] Indirect counted_;
};

}  // namespace heddle::mpi
