// mpi/p2p/landing.hpp: a receive straight into the program's buffer, in a process with one thread
// in MPI. Most messages are data. Then nothing is left to do once the library has received them, so
// a landing costs little: its object is used again as it is, and MPI_Waitall only compares the
// length of the message (landed_row.hpp). All other calls treat a landing as any other operation. A
// persistent receive into the program's buffer is no Landing, but record.lands, too.
//
//   if (const Done done = start_landing(data, nullptr, from, request)) return *done;     // MPI_Irecv
//   if (brings_data(status)) landing->put_back();                      // completed, and out of the table
//   else settle(*landing, status, error);                              // perhaps a descriptor
#pragma once

#include <utility>

#include "mpi/p2p/received_descriptor.hpp"
#include "mpi/p2p/route.hpp"
#include "mpi/requests/completion.hpp"
#include "threads/read_by_every_call.hpp"

namespace heddle::mpi {

/// The host has completed a receive that record.lands. False: it may have brought a descriptor,
/// because the message is as long as one. Bytes need no look: a descriptor on a communicator of the
/// program always has a length of engine::Lengths.
[[nodiscard]] inline bool brings_data(const MPI_Status& status) noexcept { return !long_as_descriptor(status, false); }

class Landing final : public Pending {
 public:
  /// Longer messages are put in place while others arrive, so they do not land. Bytes.
  static constexpr Bytes longest = 32 << 10;

  /// Messages of other nodes, messages that a probe holds, and reports need a whole operation.
  static bool possible() noexcept {
    return !threads::concurrent.load(std::memory_order_relaxed) && !ProbeQueue::any() && !Network::here() &&
           !report::of_process.load(std::memory_order_relaxed);
  }

  /// @param type  Null: a predefined type.
  /// Returns null if memory is short.
  [[gnu::always_inline]] static Landing* take(const Buffer& data, const Entry* type, MPI_Comm comm) noexcept {
    Landing* const landing = unused_ ? std::exchange(unused_, unused_->next_) : new (std::nothrow) Landing;
    if (landing) [[likely]]
      landing->set(data, type, comm);
    return landing;
  }
  /// The landing is out of the table and its message is data, or it was never posted. It keeps its
  /// communicator, because the next receive most often has the same.
  void put_back() noexcept {
    record.completing.store(false, std::memory_order_relaxed);
    if (type_) type_.end();
    next_ = std::exchange(unused_, this);
  }

  /// Lives during the host's call, which may throw. Puts the landing back unless it is posted.
  class Posting {
   public:
    explicit Posting(Landing* landing) noexcept : landing_(landing) {}
    ~Posting() {
      if (landing_) landing_->put_back();
    }
    Posting(const Posting&) = delete;
    Posting& operator=(const Posting&) = delete;
    explicit operator bool() const noexcept { return landing_ != nullptr; }
    Landing* posted() noexcept { return std::exchange(landing_, nullptr); }

   private:
    Landing* landing_;
  };

  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  [[nodiscard]] bool is_brief() const noexcept override { return record.lands; }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return comm_; }
  [[nodiscard]] const void* lands() const noexcept override;

 private:
  Landing() = default;
  [[gnu::always_inline]] void set(const Buffer& data, const Entry* type, MPI_Comm comm) noexcept {
    data_ = data;
    record.lands = data.count <= longest / Bytes{sizeof(double)} || (!type && is_short(data));
    if (!comm_.is_of(comm)) [[unlikely]]
      meet(comm);
    if (!type) return;
    type_.fill(type);
    record.lands = layout::times(data.count, type->size()) <= longest;
  }
  /// Decides for more predefined elements, which may be bytes.
  static bool is_short(const Buffer& data) noexcept {
    unsigned about = 0;
    return data.count <= longest && known_predefined.find(data.type, about) &&
           data.count * bytes_of_predefined(about) <= longest;
  }
  [[gnu::noinline]] void meet(MPI_Comm comm) noexcept { comm_ = communicators::Hold(comm); }

  HEDDLE_READ_BY_EVERY_CALL static constinit Landing* unused_;  // only one thread is in MPI
  Landing* next_ = nullptr;
  Buffer data_{};
  Derived type_;  ///< Empty: a predefined type.
  communicators::Hold comm_;
};

/// MPI_Irecv by a landing, if the receive goes into the program's buffer. Nothing: it needs a whole
/// operation.
[[gnu::always_inline]] inline Done start_landing(const Buffer& data, const Entry* type, const Envelope& from,
                                                 MPI_Request* request) {
  if (!Landing::possible() || !from.is_somebody() || !request || !fits(data.count) || !requests::table.room()) return {};
  Landing::Posting posting(Landing::take(data, type, from.comm));
  if (!posting) return {};
  MPI_Request made = MPI_REQUEST_NULL;
  const int result = PMPI_Irecv(const_cast<void*>(data.address), static_cast<int>(data.count), data.type, from.rank, from.tag,
                                from.comm, &made);
  if (result == MPI_SUCCESS && made != MPI_REQUEST_NULL) [[likely]] {
    Landing* const posted = posting.posted();
    *request = made;
    if (posted->record.lands) [[likely]]
      requests::track_newest(made, posted);
    else
      requests::track(made, posted);
  }
  return Raised::by_host(result);
}

}  // namespace heddle::mpi
