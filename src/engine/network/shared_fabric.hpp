// engine/network/shared_fabric.hpp: a fabric that the threads of a process share, and a thread that
// moves it on while they do other things.
//
//   SharedFabric fabric;
//   if (!fabric.open([] { return Fabric::open(options, failure, why); })) ...     // by the first thread that needs it
//   { const SharedFabric::Access access(fabric);  access->registrations(); }
//   fabric.begins();                                                              // a message: the thread looks after it
//   while (...) fabric.advance();                                                 // a thread that waits moves it on, too
//   fabric.ends();
//
// The thread naps as long as another thread moves the fabric on, and sleeps while there are no
// messages. It calls no MPI.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "transport/fabric/fabric.hpp"
#include "transport/fabric/message.hpp"

namespace heddle::engine {

class SharedFabric {
 public:
  using Fabric = transport::fabric::Fabric;

  /// ns: the longest nap of the thread while something is under way.
  static constexpr std::int64_t longest_nap = 1'000'000;

  /// While it lives, this thread may use the fabric.
  class Access {
   public:
    explicit Access(SharedFabric& shared) : hold_(shared.fabric_lock_), fabric_(shared.fabric_.get()) {}
    /// False: the fabric is not open, or closed again.
    explicit operator bool() const noexcept { return fabric_ != nullptr; }
    Fabric* operator->() const noexcept { return fabric_; }
    Fabric& operator*() const noexcept { return *fabric_; }

   private:
    std::unique_lock<std::mutex> hold_;
    Fabric* fabric_;
  };

  SharedFabric() = default;
  SharedFabric(const SharedFabric&) = delete;
  SharedFabric& operator=(const SharedFabric&) = delete;
  ~SharedFabric();

  /// True: the fabric is open. The first caller makes it, and other callers wait. Throws the
  /// exceptions of `make`, and std::system_error if no thread can be made. After an exception, or a
  /// null of `make`, there is no fabric: later calls return false.
  bool open(const std::function<std::unique_ptr<Fabric>()>& make);
  [[nodiscard]] bool is_open() const noexcept { return open_.load(std::memory_order_acquire); }
  /// The provider's mark. Processes with the same provider have the same mark. 0: the fabric is not
  /// open.
  [[nodiscard]] std::uint32_t mark() const noexcept;

  /// A message begins, or has ended. As long as there are messages, the thread looks after them.
  void begins() noexcept;
  void ends() noexcept { messages_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] bool has_messages() const noexcept { return messages_.load(std::memory_order_relaxed) > 0; }

  /// Moves the fabric on, unless another thread is doing so.
  void advance() noexcept;

  // One thread at a time may call these.

  /// Takes a message that nobody needs any more, and drives it to its end.
  void part(std::unique_ptr<transport::fabric::Message> message) { parted_.push_back(std::move(message)); }
  /// Frees the parted messages that have ended.
  void bury() noexcept;

  /// Ends the thread; the fabric is there until close(). All messages except the parted ones are
  /// gone by then.
  void stop() noexcept;
  void close() noexcept;

 private:
  bool move(bool patient) noexcept;
  bool idle() noexcept;
  void keep_going() noexcept;

  std::mutex fabric_lock_;
  std::unique_ptr<Fabric> fabric_;
  bool tried_ = false;
  std::atomic<bool> open_{false};
  std::vector<std::unique_ptr<transport::fabric::Message>> parted_;

  std::thread thread_;
  std::mutex thread_lock_;
  std::condition_variable wake_;
  std::atomic<int> messages_{0};
  std::atomic<std::int64_t> moved_{0};  // when the fabric was last moved on by a call
  std::atomic<bool> ends_{false};
};

}  // namespace heddle::engine
