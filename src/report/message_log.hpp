// report/message_log.hpp: records when this rank began each message and each collective, and in
// which call it waited for it. From these times of all ranks, late_ranks.hpp finds the ranks that
// others waited for.
//
//   MessageLog log(meanings, MessageLog::usual);                      // room for so many entries of each kind
//   log.add(called, partners, communicator, {site, begin, end, 0, thread_number()}, done);
//   for (const MessageEnd& sent : log.sends()) ...                    // in the order of the program
//
// MPI matches messages of one communicator, source, destination and tag in order. So the k-th send
// and the k-th receive that have these in common are the two ends of a message. A receive with
// MPI_ANY_SOURCE or MPI_ANY_TAG gets its source and tag from its status.
//
// The log ends where the order is lost: a call fails, or a call was not recorded. The log of
// receives also ends at a receive with a wildcard that the program frees.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <type_traits>
#include <unordered_map>
#include <vector>

#include "report/called.hpp"
#include "report/remembered.hpp"
#include "threads/lock.hpp"

namespace heddle::report {

/// A call in which a rank may have waited.
struct Waited {
  const CallSite* site;  ///< Null: the request was never completed.
  double begin, end;     ///< ns.
  std::uint32_t call;    ///< Number of the call. Entries that one call completed share it.
  std::uint32_t thread;
  bool others;  ///< It also waited for requests that are not in the log, such as those of collectives.
};

/// One end of a message.
struct MessageEnd {
  std::uint64_t communicator;  ///< Equal at both ends (MessageLog::communicator).
  int peer;                    ///< The other end, a rank of MPI_COMM_WORLD; negative: none is known.
  int tag;
  double begun;          ///< ns, of the call that began the send or the receive.
  std::uint32_t thread;  ///< The thread that called it.
  Waited waited;
};

/// One rank in a blocking collective.
struct Arrival {
  std::uint64_t communicator;
  std::uint32_t number;  ///< The collective's place among those of its communicator.
  Meets meets;
  bool is_root;
  Waited waited;
};

/// Safe for several threads.
class MessageLog {
 public:
  static constexpr std::size_t usual = std::size_t{1} << 17;  ///< 9 MiB of each kind; only the used part is touched.

  /// Throws std::bad_alloc.
  MessageLog(const Meanings& meanings, std::size_t most);

  /// True if the ends of messages or collectives of a call belong into the log.
  static bool concerns(const Ends& ends) noexcept {
    return ends.destination != Ends::nobody || ends.source != Ends::nobody || ends.meets != Meets::nobody;
  }
  /// True if a call begins, completes or frees messages, or is such a collective.
  static bool matters(const Ends& ends) noexcept {
    return concerns(ends) || ends.completes != Completes::none || ends.started != nullptr;
  }
  /// Records a call.
  /// @param partners, communicator  Of the call's communicator; null and 0: it has none.
  void add(const Called& called, const Partners* partners, std::uint64_t communicator, Waited waited, bool done) noexcept;

  /// Records that communicators are made collectively, in the same order on all of their ranks.
  void made(std::uint64_t handle, const Partners& partners);
  /// A number for a communicator: equal on all of its ranks, and different for communicators of
  /// different ranks or of a different order of their making.
  [[nodiscard]] std::uint64_t communicator(std::uint64_t handle, const Partners& partners) const;

  /// True if an open message needs a status: a receive for its source or tag, or a message that the
  /// program has tried to cancel.
  [[nodiscard]] bool needs_statuses() const noexcept { return undecided_.load(std::memory_order_relaxed) > 0; }
  /// As of Observer.
  void number(const Ends& ends, std::uint64_t* numbers) const noexcept;
  /// A call was not recorded. The log ends here.
  void give_up() noexcept;

  /// Call these when all threads are done.
  [[nodiscard]] std::span<const MessageEnd> sends() const { return {sends_.entries.get(), sends_.valid()}; }
  [[nodiscard]] std::span<const MessageEnd> receives() const { return {receives_.entries.get(), receives_.valid()}; }
  [[nodiscard]] std::span<const Arrival> arrivals() const { return {arrivals_.entries.get(), arrivals_.valid()}; }
  /// Messages and collectives that are not in the log.
  [[nodiscard]] std::size_t missing() const { return sends_.missing() + receives_.missing() + arrivals_.missing(); }

 private:
  static constexpr std::size_t none = ~std::size_t{0};

  template <class Entry>
  struct Entries {
    static_assert(std::is_trivially_default_constructible_v<Entry>, "new must not touch the memory");
    explicit Entries(std::size_t room) : entries(new Entry[room]), most(room) {}
    /// The new entry's index, or none.
    std::size_t add(const Entry& entry) noexcept {
      if (count >= most) return ++count, none;
      entries[count] = entry;
      return count++;
    }
    /// Entries from this one on do not count.
    void end_at(std::size_t at) noexcept { most = std::min(most, at); }
    [[nodiscard]] bool full() const noexcept { return count >= most; }
    [[nodiscard]] std::size_t valid() const noexcept { return std::min(count, most); }
    [[nodiscard]] std::size_t missing() const noexcept { return count - valid(); }

    std::unique_ptr<Entry[]> entries;
    std::size_t most;
    std::size_t count = 0;
  };
  /// The messages of a request that is not complete.
  struct Open {
    std::size_t send = none, receive = none;
    const Partners* partners = nullptr;  ///< Ranks of the communicator; a status gives one.
    bool wildcard = false, cancelled = false;
    std::uint64_t number = 0;  ///< Differs from that of all other open messages.
    /// Only a status gives their source and tag, or says that they were cancelled.
    [[nodiscard]] bool undecided() const noexcept { return wildcard || cancelled; }
  };
  /// The messages of each start of a persistent request.
  struct Persistent {
    Ends ends;
    const Partners* partners;
    std::uint64_t communicator;
  };
  struct Probed {
    std::uint64_t communicator;
    int peer, tag;
    Waited waited;
  };

  Open begin(const Ends& ends, const Partners* partners, std::uint64_t communicator, const Waited& waited) noexcept;
  void open(std::uint64_t request, Open messages);
  void complete(const Open& messages, const Waited& waited, const void* statuses, int i) noexcept;
  void complete(const Ends& ends, Waited waited);
  void complete(const Ends& ends, int request, const Waited& waited, int status);
  [[nodiscard]] std::optional<Open> take(const Ends& ends, int i);
  void forget(const Open& messages) noexcept;
  void end() noexcept;
  void record(const Called& called, const Partners* partners, std::uint64_t communicator, Waited waited, bool done);
  void probe(const Ends& ends, const Partners* partners, std::uint64_t communicator, const Waited& waited);
  void arrive(const Called& called, const Partners& partners, std::uint64_t communicator, const Waited& waited);
  static int world_rank(const Partners* partners, int rank) noexcept;

  const Meanings& meanings_;
  mutable threads::Lock lock_;
  std::uint32_t calls_ = 0;
  std::uint64_t numbers_ = 0;
  Entries<MessageEnd> sends_, receives_;
  Entries<Arrival> arrivals_;
  // Key: request. Another thread may get the same request before this thread has recorded its end.
  std::multimap<std::uint64_t, Open> open_;
  std::unordered_map<std::uint64_t, Persistent> persistent_;   // key: request
  std::unordered_map<std::uint64_t, std::uint32_t> met_;       // key: communicator; value: collectives
  std::unordered_map<std::uint64_t, std::uint64_t> made_;      // key: handle of a communicator; value: its number
  std::unordered_map<std::uint64_t, std::uint64_t> of_ranks_;  // key: ranks; value: communicators made of them
  std::vector<Probed> probed_;                                 // messages that MPI_Probe has found; few
  std::atomic<int> undecided_{0};                              // open messages that need a status
};

}  // namespace heddle::report
