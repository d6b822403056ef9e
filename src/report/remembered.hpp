// report/remembered.hpp: an observer's memory of calls. It asks MPI about the first call of a kind,
// and again when handles may have changed their meaning. Handles are numbers here.
//
//   Met* met = remembered.meet({procedure, return_address, type, communicator}, [&](Met& fresh) {
//     fresh.site = report.site(...);
//     fresh.partners = remembered.partners(communicator, [&] { return Partners{...}; });
//   });
//   remembered.plan(request, {.bytes = 64, .to = {{3, 64}}});                      // a request is made persistent,
//   remembered.start(request, [&](int rank, std::int64_t bytes) { ... });          // and started: 64
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
#include <vector>

#include "report/call_site.hpp"
#include "report/reporting.hpp"
#include "report/volume.hpp"
#include "threads/handle_table.hpp"

namespace heddle::report {

/// The facts about calls from one place with one datatype on one communicator.
struct Met {
  struct Calls {
    int procedure;
    const void* from;
    std::uint64_t type, communicator;
    bool operator==(const Calls&) const = default;
  };
  explicit Met(const Calls& such) noexcept : calls(such) {}

  const Calls calls;
  std::atomic<unsigned> asked{0};  ///< handles_changed + 1 at the time of the last question.
  std::atomic<CallSite*> site{nullptr};
  std::atomic<std::int64_t> size{-1};              ///< Size of the datatype, bytes.
  std::atomic<const Partners*> partners{nullptr};  ///< Set if the data that the call moves depends on the communicator.
  std::atomic<std::uint64_t> communicator{0};      ///< Its number in the log of messages, if that follows the call.
};

/// The data that a start of a persistent request moves.
struct Planned {
  std::int64_t bytes = 0;  ///< Negative: unknown.
  std::vector<std::pair<int, std::int64_t>> to{};
};

/// Safe for several threads.
class Remembered {
 public:
  /// Finds or makes the facts about such calls. Calls `ask(Met&)`, one at a time, if MPI must be
  /// asked. Null: there is no room. Throws the exceptions of `ask`.
  template <class Ask>
  Met* meet(const Met::Calls& calls, const Ask& ask);

  /// The partners on a communicator, by `ask()`. Call it only from the `ask` of meet().
  template <class Ask>
  const Partners* partners(std::uint64_t communicator, const Ask& ask);

  /// Plans a request, which keeps its handle until it is freed. A new request with the same handle
  /// replaces the plan.
  void plan(std::uint64_t request, Planned planned);
  /// Bytes of a start; negative: unknown. Calls `tell(rank, bytes)` for each destination.
  template <class Tell>
  std::int64_t start(std::uint64_t request, const Tell& tell);

  static constexpr int slot_bits = 12;
  static constexpr std::size_t most = std::size_t{1} << 16;  ///< Most entries of each kind.

 private:
  static unsigned now() noexcept { return handles_changed.load(std::memory_order_relaxed) + 1; }
  template <class Ask>
  static void ask_of(Met& met, const Ask& ask) {
    const unsigned asked = now();
    ask(met);
    met.asked.store(asked, std::memory_order_release);
  }
  /// Adds calls that are met for the first time. The caller has lock_.
  template <class Ask>
  Met* add(std::atomic<Met*>& slot, const Met::Calls& calls, const Ask& ask) {
    Met& met = met_.emplace_back(calls);
    ask_of(met, ask);
    slot.store(&met, std::memory_order_release);
    return &met;
  }

  std::recursive_mutex lock_;  // with one thread: the host may call the program back within `ask`
  std::deque<Met> met_;
  std::array<std::atomic<Met*>, std::size_t{1} << slot_bits> slots_{};  // hashed, read without the lock
  std::map<std::uint64_t, std::pair<unsigned, std::unique_ptr<Partners>>> partners_;
  std::deque<std::unique_ptr<Partners>> former_;        // other threads may still read them
  std::unordered_map<std::uint64_t, Planned> planned_;  // key: request
};

template <class Ask>
Met* Remembered::meet(const Met::Calls& calls, const Ask& ask) {
  const std::uint64_t key = (reinterpret_cast<std::uintptr_t>(calls.from) * 31 + calls.type) * 31 + calls.communicator +
                            static_cast<std::uint64_t>(calls.procedure);
  constexpr std::size_t looked_at = 16;  // slots
  for (std::size_t i = 0; i < looked_at; ++i) {
    std::atomic<Met*>& slot = slots_[(threads::hash_of(key, slot_bits) + i) % slots_.size()];
    Met* met = slot.load(std::memory_order_acquire);
    if (!met) {
      const std::lock_guard guard(lock_);
      met = slot.load(std::memory_order_acquire);
      if (!met) return add(slot, calls, ask);
    }
    if (met->calls != calls) continue;
    if (met->asked.load(std::memory_order_acquire) != now()) {
      const std::lock_guard guard(lock_);
      ask_of(*met, ask);
    }
    return met;
  }
  // The slots are full: the new calls replace others in the first slot. New calls go uncounted
  // beyond `most`.
  const std::lock_guard guard(lock_);
  return met_.size() < most ? add(slots_[threads::hash_of(key, slot_bits)], calls, ask) : nullptr;
}

template <class Ask>
const Partners* Remembered::partners(std::uint64_t communicator, const Ask& ask) {
  auto& [asked, known] = partners_[communicator];
  if (known && asked == now()) return known.get();
  const unsigned before = now();
  auto found = std::make_unique<Partners>(ask());
  asked = before;
  if (known && *known == *found) return known.get();
  if (known) former_.push_back(std::move(known));
  known = std::move(found);
  return known.get();
}

template <class Tell>
std::int64_t Remembered::start(std::uint64_t request, const Tell& tell) {
  const std::lock_guard guard(lock_);
  const auto found = planned_.find(request);
  if (found == planned_.end() || found->second.bytes < 0) return -1;
  for (const auto& [rank, bytes] : found->second.to) tell(rank, bytes);
  return found->second.bytes;
}

inline void Remembered::plan(std::uint64_t request, Planned planned) {
  const std::lock_guard guard(lock_);
  if (planned_.size() < most || planned_.contains(request)) planned_[request] = std::move(planned);
}

}  // namespace heddle::report
