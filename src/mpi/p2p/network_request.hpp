// mpi/p2p/network_request.hpp: the program's request for a message between nodes. It is a
// generalized request, which Heddle completes when the operation is over.
//
//   return request_for(network, operation);                  // as of any other operation that has begun
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include "mpi/network/mpi_network.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/requests/generalized.hpp"

namespace heddle::mpi {

/// Operation: NetworkSend or NetworkReceive.
template <class Operation>
class NetworkRequest final : public Generalized<Pending> {
 public:
  NetworkRequest(Network& network, std::shared_ptr<Operation> operation) noexcept
      : network_(network), operation_(std::move(operation)) {
    begun();
  }

  int finish(MPI_Status& status, int error) noexcept override {
    const int result = operation_->finish(status);
    return error == MPI_SUCCESS ? result : error;
  }
  std::int64_t arrives_since() noexcept override {
    if constexpr (!std::is_base_of_v<engine::NetworkSend, Operation>)
      if (arrives_since_ == 0 && operation_->arrives() && !operation_->over()) arrives_since_ = transport::fabric::steady_ns();
    return arrives_since_;
  }
  [[nodiscard]] const communicators::Hold& communicator() const noexcept override { return operation_->communicator(); }
  [[nodiscard]] bool is_send() const noexcept override { return std::is_base_of_v<engine::NetworkSend, Operation>; }
  [[nodiscard]] bool ends_by_itself() const noexcept override { return is_send(); }
  [[nodiscard]] const void* lands() const noexcept override {
    if constexpr (requires { operation_->lands(); }) return operation_->lands();
    return nullptr;
  }

 private:
  bool carry_on(bool wait) noexcept override {
    if (record.cancelled && !std::exchange(told_, true)) network_.cancel(*operation_);
    if (wait)
      network_.wait(*operation_);
    else if (!operation_->over())
      network_.advance(*operation_);
    return operation_->over();
  }

  Network& network_;
  std::shared_ptr<Operation> operation_;
  bool told_ = false;  // of its being cancelled
  std::int64_t arrives_since_ = 0;
};

/// The operation has begun, and the network carries it on.
template <class Operation>
Begun request_for(Network& network, std::shared_ptr<Operation> operation) {
  Begun begun;
  std::unique_ptr<Pending> request(new (std::nothrow) NetworkRequest(network, std::move(operation)));
  begun.lacks_memory = !request;
  if (!request) return begun;
  begun.result = Raised::by_host(begin_generalized(&request->record.handle));
  begun.request = request->record.handle;
  if (begun.under_way()) begun.pending = request.release();
  return begun;
}

}  // namespace heddle::mpi
