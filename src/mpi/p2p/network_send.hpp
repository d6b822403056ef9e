// mpi/p2p/network_send.hpp: a message with holes that goes to another node by the fabric
// (engine/network/fabric_send.hpp). The host sends its descriptor, and also the packed message if
// the fabric does not bring it.
#pragma once

#include <memory>

#include "engine/network/fabric_send.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/types/registry.hpp"

namespace heddle::mpi {

class NetworkSend final : public engine::NetworkSend {
 public:
  /// Null: it does not go by the fabric. Nothing has been sent yet. Synchronous messages never go
  /// by it, because a probe may receive their descriptors.
  static std::shared_ptr<NetworkSend> made(const Buffer& data, const Derived& type, const Envelope& to, Mode mode,
                                           const KeptMemory& memory = {}) noexcept;
  ~NetworkSend() override { give_up(); }

  /// Sends it from begin to end. Returns MPI's error code, raised.
  static Raised in_call(const std::shared_ptr<NetworkSend>& send, const Envelope& to);
  static Begun with_request(const std::shared_ptr<NetworkSend>& send, const Envelope& to);

  /// Call it when over().
  int finish(MPI_Status& status) noexcept;
  /// The communicator on which its errors are raised.
  [[nodiscard]] const communicators::Hold& communicator() const noexcept { return comm_; }

 private:
  NetworkSend(Network& network, Derived type, const Envelope& to, int world, KeptMemory memory)
      : engine::NetworkSend(network, world),
        network_(network),
        type_(std::move(type)),
        comm_(to.comm),
        memory_(std::move(memory)) {}
  Raised begin(const Envelope& to);
  bool descriptor_is_received() noexcept override;
  bool send_packed(const std::byte* packed, Bytes bytes) noexcept override;
  bool packed_is_received() noexcept override;

  Network& network_;
  Derived type_;
  communicators::Hold comm_;
  KeptMemory memory_;                         ///< Of a persistent operation.
  MPI_Request announced_ = MPI_REQUEST_NULL;  ///< The descriptor.
  MPI_Request resent_ = MPI_REQUEST_NULL;     ///< The packed bytes.
};

}  // namespace heddle::mpi
