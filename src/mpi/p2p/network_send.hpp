// mpi/p2p/network_send.hpp: a message with holes to a rank of another node, by the fabric. Includes network/, types/,
// route.hpp.
//
//   1. the descriptor goes out          in the place of the data, by the host
//   2. the receiver answers             the fabric moves the message (transport/fabric/), and it is over
//   2' nobody answers for a while,      it is packed, and over for the program; the host brings the packed bytes,
//      or the fabric fails              whatever call the program is in: no sender depends on a receiver that has not come
#pragma once

#include <memory>

#include "layout/layout.hpp"
#include "mpi/network/memory.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/types/registry.hpp"
#include "report/reporting.hpp"
#include "threads/pool.hpp"
#include "transport/fabric/outgoing.hpp"

namespace heddle::mpi {

class NetworkSend final : public Network::Operation {
 public:
  /// Null: it does not go by the fabric. Nothing has been sent yet. Synchronous ones never do: a probe receives descriptors.
  static std::shared_ptr<NetworkSend> made(const Buffer& data, const Derived& type, const Envelope& to, Mode mode,
                                           const KeptMemory& memory = {}) noexcept;
  ~NetworkSend() override;

  /// From begin to end. Returns MPI's error code, raised.
  static int in_call(const std::shared_ptr<NetworkSend>& send, const Envelope& to);
  static Begun with_request(const std::shared_ptr<NetworkSend>& send, const Envelope& to);

  bool carry_on() noexcept override;
  void carry_on_within_host() noexcept override;
  bool hears(const Network::Word& word, int from) noexcept override;
  [[nodiscard]] bool will_end() const noexcept override { return handed_ || (message_ && answered_); }
  void cancel() noexcept override;
  int finish(MPI_Status& status) noexcept override;
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return comm_; }

 private:
  NetworkSend(Network& network, const Buffer& data, Derived type, const Envelope& to, int world, KeptMemory memory)
      : network_(network), data_(data), type_(std::move(type)), comm_(to.comm), world_(world), memory_(std::move(memory)) {}
  bool open(const transport::fabric::Plan& plan);
  int begin(const Envelope& to);
  void close() noexcept;
  bool end() noexcept;
  void look_at_descriptor() noexcept;
  transport::fabric::State look_at_message() noexcept;
  bool hand_to_host() noexcept;
  bool host_is_done() noexcept;
  [[nodiscard]] std::uint32_t number() const noexcept { return descriptor_.announcement.from; }

  Network& network_;
  report::ReportedCall reported_{"send"};
  Buffer data_;
  Derived type_;
  communicators::Hold comm_;
  int world_;
  KeptMemory memory_;  ///< Of a persistent operation.
  engine::NetworkDescriptor descriptor_;
  std::unique_ptr<transport::fabric::Outgoing> message_;
  std::atomic<bool> begun_{false};            ///< The descriptor is out.
  MPI_Request announced_ = MPI_REQUEST_NULL;  ///< The descriptor.
  std::int64_t since_ = 0;
  bool waits_ = false;    ///< The program's call does, until it is over.
  bool counted_ = false;  ///< The thread looks after it.
  bool answered_ = false;
  bool failed_ = false;      ///< The fabric does not bring it,
  bool broken_ = false;      ///< for it does not get to its peer, or back, any more.
  bool cancelling_ = false;  ///< The program has asked for it,
  bool cancelled_ = false;   ///< and the host has done it.
  bool unwanted_ = false;
  threads::StagingBuffer packed_;
  MPI_Request resent_ = MPI_REQUEST_NULL;  ///< packed_, by the host,
  bool handed_ = false;                    ///< if it has got it.
};

}  // namespace heddle::mpi
