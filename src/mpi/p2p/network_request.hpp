// mpi/p2p/network_request.hpp: the program's request for a message between nodes. It is a
// generalized request, which Heddle completes when the operation is over.
//
//   return request_for(network, operation);                  // as of any other operation that has begun
#pragma once

#include <chrono>
#include <memory>
#include <type_traits>
#include <utility>

#include "engine/base/wait.hpp"
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
  /// Under the library alone, a message is in place before the program learns of the next message
  /// of the same sender. Heddle keeps this order. But if the sender makes no call for long, it
  /// holds up this program for a second at most.
  void catch_up() noexcept override {
    if constexpr (!std::is_base_of_v<engine::NetworkSend, Operation>) {
      using std::chrono::steady_clock;
      if (operation_->over() || !operation_->arrives() || std::exchange(caught_up_, true)) return;
      const steady_clock::time_point last = steady_clock::now() + std::chrono::seconds(1);
      const auto over = [this, last] {
        this->advance(false);
        return operation_->over() || steady_clock::now() > last;
      };
      engine::wait_until(over, true);
    }
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
  bool told_ = false;       // the network knows that it is cancelled
  bool caught_up_ = false;  // it has had its time
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
