// mpi/p2p/network_receive.hpp: a receive that may bring a message from another node by the fabric
// (engine/network/fabric_receive.hpp). The host receives data or a descriptor. It also receives the
// packed bytes if the fabric does not bring the message.
#pragma once

#include <memory>
#include <optional>

#include "engine/network/fabric_receive.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/p2p/receive.hpp"
#include "mpi/types/element.hpp"

namespace heddle::mpi {

class NetworkReceive final : public engine::NetworkReceive {
 public:
  /// True: the receive may bring such a message. `source`: MPI_ANY_SOURCE, or a rank of `comm`.
  static bool possible(const Buffer& data, Route route, int source, MPI_Comm comm);
  /// True: the receive is long enough for such a message. It is for matched messages, whose source
  /// is not checked.
  static bool possible(const Buffer& data, Route route);

  /// Only if possible(). Null: no memory.
  static std::shared_ptr<NetworkReceive> made(const Buffer& data, Route route, const Expected& expected,
                                              const KeptMemory& memory = {}) noexcept;
  /// begin() has returned `begun`. in_call() carries the receive to its end, with_request() gives
  /// it a request. If begin() has failed, they return its error.
  /// @param comm  The communicator of the call. MPI_COMM_NULL: the message is a matched one.
  static int in_call(const std::shared_ptr<NetworkReceive>& receive, Raised begun, MPI_Comm comm, MPI_Status& status);
  static Begun with_request(const std::shared_ptr<NetworkReceive>& receive, Raised begun);

  /// Throws std::bad_alloc.
  NetworkReceive(Network& network, const Buffer& data, Route route, communicators::Hold comm, KeptMemory memory);
  ~NetworkReceive() override { close(); }

  /// There is no memory for its staging buffer.
  [[nodiscard]] bool lacks_memory() const { return receive_.lacks_memory() || (!type_ && !opaque_ && !opaque_.empty()); }
  /// Posts the host's receive. Returns MPI's error code, raised.
  Raised begin(const Expected& expected);

  void cancel() noexcept override;
  /// The announcement has come, so the message is on its way.
  [[nodiscard]] bool arrives() const noexcept { return stage() != Stage::posted; }
  /// Corrects the program's status. Returns MPI's error code, which the caller must raise. Call it
  /// when over().
  int finish(MPI_Status& status) noexcept;
  /// As Pending::lands().
  [[nodiscard]] const void* lands() const noexcept { return stage() == Stage::posted ? receive_.lands() : nullptr; }
  /// The communicator on which its errors are raised.
  [[nodiscard]] const communicators::Hold& communicator() const noexcept { return receive_.communicator(); }

 private:
  bool host_is_done() noexcept;
  [[nodiscard]] bool brings_descriptor() const noexcept;
  [[nodiscard]] int sender() const noexcept;
  [[nodiscard]] bool is_lost() const noexcept;
  [[nodiscard]] bool is_shared() const noexcept;
  bool end_as_host_says() noexcept;
  [[nodiscard]] int tag() const noexcept { return receive_.origin() ? receive_.origin()->tag : status_.MPI_TAG; }
  void tell_of_blocks() noexcept;
  [[nodiscard]] engine::Landing landing() const noexcept;

  bool look_at_posted() noexcept override;
  [[nodiscard]] bool stands(std::uint32_t number, int from) const noexcept override;
  [[nodiscard]] bool shares(const std::byte* descriptor) const noexcept override;
  bool look_for_lost() noexcept override;
  bool packed_comes() noexcept override;
  bool receive_packed(std::byte* packed, Bytes bytes) noexcept override;
  Packed look_at_packed() noexcept override;
  bool cancel_packed() noexcept override;
  bool unpack(const std::byte* packed, Bytes bytes) noexcept override;
  void ended(End how) noexcept override;

  Network& network_;
  Buffer data_;
  Derived type_;
  Opaque opaque_;       ///< The type, if Heddle cannot decode it.
  int lost_from_ = -1;  ///< sender() of a lost receive. It is not known any more once the communicator is freed.
  Bytes room_ = 0;
  ReceiveOperation receive_;
  MPI_Request host_ = MPI_REQUEST_NULL;  ///< The receive; later that of the packed bytes.
  std::byte* strays_to_ = nullptr;       ///< Packed bytes that have been taken in before go there.
  MPI_Status status_{};
  int result_ = MPI_SUCCESS;
  std::uint64_t order_ = 0;  ///< The order of posting.
  KeptMemory memory_;        ///< Of a persistent operation.
};

}  // namespace heddle::mpi
