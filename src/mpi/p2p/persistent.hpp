// mpi/p2p/persistent.hpp: persistent messages. The program's handle is a persistent request of the
// host.
//
// A send's request was made with the program's own arguments. MPI_Start starts an operation of
// Heddle that has a request of its own. The completion calls ask the host about that request
// instead.
//
// A receive's request was made with the staging buffer, which stays with the request. MPI_Start
// starts the request itself. But a start is an operation of its own, too, if the receive may bring
// a message from another node, or if a probe has received its message.
//
// Memory that the fabric has registered stays registered until the request is freed
// (engine/network/kept_memory.hpp).
#pragma once

#include "mpi/p2p/receive.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/types/element.hpp"

namespace heddle::mpi {

class PersistentSend final : public Persistent {
 public:
  PersistentSend(const Buffer& data, Route route, const Envelope& to, Mode mode)
      : data_(data), route_(route), type_(held(data, route)), to_(to), comm_(to.comm), mode_(mode) {}
  ~PersistentSend() override { delete operation_; }

  /// True if the host carried the last start, too. Three of four starts do not ask the type, and
  /// read one cache line. So the choice is made anew after about 128 starts of a kind.
  [[nodiscard, gnu::hot]] bool starts_by_host() noexcept override {
    if (record.starts_by_host > 0) {
      --record.starts_by_host;
      return true;
    }
    if (!comm_.gone() && !was_left_to_host(route_.type, data_.count, {to_.rank, to_.tag, comm_.handle()})) return false;
    record.starts_by_host = starts_unasked;
    return true;
  }
  [[gnu::hot]] void started_by_host() noexcept override { record.active = record.by_host = true; }

  int start() override;
  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool is_send() const noexcept override { return true; }
  [[nodiscard]] bool advances() const noexcept override { return operation_ && operation_->advances(); }
  void advance(bool wait) noexcept override {
    if (operation_) operation_->advance(wait);
  }

 private:
  static constexpr std::uint8_t starts_unasked = 3;
  Buffer data_;
  Route route_;  // its entry lives as long as type_
  Derived type_;
  Envelope to_;
  communicators::Hold comm_;
  Mode mode_;
  KeptMemory memory_ = NetworkMemory::made(Network::here());
  Pending* operation_ = nullptr;
};

class PersistentReceive final : public Persistent {
 public:
  PersistentReceive(const Buffer& data, Route route, const Envelope& from)
      : operation(data, route, communicators::Hold(from.comm)),
        opaque_(route.type && !route.type->known() ? Opaque(data.type) : Opaque()),
        data_{data.address, data.count, opaque_ ? opaque_.type() : data.type},
        route_(route),
        comm_(from.comm),
        from_(from) {
    record.may_land = is_short();
  }
  ~PersistentReceive() override { delete started_; }

  [[nodiscard, gnu::hot]] bool starts_by_host() noexcept override { return !ProbeQueue::any() && !Network::here(); }
  [[gnu::hot]] void started_by_host() noexcept override {
    record.active = true;
    record.lands = record.may_land && !report::of_process.load(std::memory_order_relaxed);
  }

  int start() override;
  int finish(MPI_Status& status, int error) noexcept override;
  [[nodiscard]] bool ends_by_itself() const noexcept override { return false; }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override {
    return started_ ? started_->communicator() : operation.communicator();
  }
  [[nodiscard]] bool advances() const noexcept override { return started_ && started_->advances(); }
  void advance(bool wait) noexcept override {
    if (!started_) return;
    started_->record.cancelled = record.cancelled;
    started_->advance(wait);
  }
  std::int64_t arrives_since() noexcept override { return started_ ? started_->arrives_since() : 0; }
  /// Another thread may be completing what has been started.
  [[nodiscard]] const void* lands() const noexcept override {
    if (!started_) return operation.lands();
    return threads::concurrent.load(std::memory_order_relaxed) ? nullptr : started_->lands();
  }

  ReceiveOperation operation;

 private:
  int start_own(const Begun& begun);
  /// True: it goes into the program's buffer, and has room for a landing at most.
  [[nodiscard]] bool is_short() const;
  /// The route of a start that makes a receive anew. The handle of the datatype may be gone by
  /// then.
  [[nodiscard]] Route by_entry() const noexcept { return {route_.type ? Protocol::packed : route_.protocol, route_.type}; }

  Opaque opaque_;  // of a type that Heddle cannot decode: the program may free its handle
  Buffer data_;
  Route route_;               // its entry lives as long as the operation
  communicators::Hold comm_;  // the operation's own is that of the last message
  Envelope from_;
  KeptMemory memory_ = NetworkMemory::made(Network::here());
  Pending* started_ = nullptr;
};

}  // namespace heddle::mpi
