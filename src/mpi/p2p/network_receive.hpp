// mpi/p2p/network_receive.hpp: a receive that may bring a message from another node by the fabric. Includes network/,
// receive.hpp.
//
//   posted      the host receives: data, or a descriptor, in its place
//   by fabric   the sender is answered, and the message comes into the program's buffer
//   by host     or it cannot come so, or its sender has gone on: then it comes packed
//
// As long as it is not over the program's request is not complete: no MPI_Test waits for a message to come.
#pragma once

#include <memory>
#include <optional>

#include "mpi/network/memory.hpp"
#include "mpi/p2p/receive.hpp"
#include "mpi/types/opaque.hpp"
#include "transport/fabric/incoming.hpp"

namespace heddle::mpi {

class NetworkReceive final : public Network::Operation {
 public:
  /// Whether a receive may bring such a message at all. `source`: MPI_ANY_SOURCE, or of `comm`.
  static bool possible(const Buffer& data, Route route, int source, MPI_Comm comm);
  /// Whether it is long enough for one; of a matched message, whose source is not asked.
  static bool possible(const Buffer& data, Route route);

  /// Of which possible() is true. Null: no memory.
  static std::shared_ptr<NetworkReceive> made(const Buffer& data, Route route, communicators::Hold comm,
                                              const KeptMemory& memory = {}) noexcept;
  /// A receive that has begun, or has failed to (`begun` is MPI's error code), goes on to its end; or by a request.
  /// @param comm  That of the call; MPI_COMM_NULL: of a matched message.
  static int in_call(const std::shared_ptr<NetworkReceive>& receive, int begun, MPI_Comm comm, MPI_Status& status);
  static Begun with_request(const std::shared_ptr<NetworkReceive>& receive, int begun);

  /// Throws std::bad_alloc.
  NetworkReceive(Network& network, const Buffer& data, Route route, communicators::Hold comm, KeptMemory memory);
  ~NetworkReceive() override;

  /// There is no memory for what it goes through.
  [[nodiscard]] bool lacks_memory() const { return receive_.lacks_memory(); }
  /// Posts it. Returns MPI's error code, raised.
  int begin(int source, int tag, MPI_Comm comm);
  int begin(MPI_Message* message, const std::optional<Origin>& origin);

  bool carry_on() noexcept override;
  [[nodiscard]] bool will_end() const noexcept override { return stage_ != Stage::posted && !over(); }
  bool hears(const Network::Word& word, int from) noexcept override;
  void cancel() noexcept override;
  int finish(MPI_Status& status) noexcept override;
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return receive_.communicator(); }

 private:
  enum class Stage { posted, by_fabric, by_host };

  bool host_is_done() noexcept;
  [[nodiscard]] bool brings_descriptor() const noexcept;
  void tell_of_blocks() noexcept;
  void take_descriptor() noexcept;
  bool answer() noexcept;
  void look_for_packed() noexcept;
  bool withdraw() noexcept;
  bool stages() noexcept;
  void take_from_host() noexcept;
  bool by_fabric() noexcept;
  bool by_host() noexcept;
  bool put_in_place(const char* way) noexcept;
  void close() noexcept;
  bool end(int result) noexcept;

  Network& network_;
  report::ReportedCall reported_{"receive"};
  Buffer data_;
  Derived type_;
  Opaque opaque_;  ///< Of a type that Heddle cannot decode.
  Bytes room_ = 0;
  ReceiveOperation receive_;
  Stage stage_ = Stage::posted;
  std::atomic<bool> begun_{false};
  std::int64_t since_ = 0;               ///< The descriptor is here.
  std::int64_t looked_ = 0;              ///< For packed bytes.
  bool packed_comes_ = false;            ///< Its sender has given it to the host.
  bool waits_ = false;                   ///< The program's call does.
  MPI_Request host_ = MPI_REQUEST_NULL;  ///< The receive; later that of the packed bytes.
  MPI_Status status_{};
  int result_ = MPI_SUCCESS;
  KeptMemory memory_;  ///< Of a persistent operation.
  engine::NetworkDescriptor descriptor_;
  std::unique_ptr<transport::fabric::Incoming> message_;
  threads::StagingBuffer packed_;  ///< If the message does not come into the program's buffer at once: its bytes,
  layout::Layout stream_;          ///< and how they lie there.
};

}  // namespace heddle::mpi
