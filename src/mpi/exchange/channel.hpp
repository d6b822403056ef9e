// mpi/exchange/channel.hpp: engine::Channel over messages of bytes on a communicator of Heddle's own. Includes
// engine/channel.hpp, host.hpp.
#pragma once

#include <vector>

#include "engine/channel.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

/// Kept from call to call: its memory is used again.
class Channel final : public engine::Channel {
 public:
  /// A new use. The communicator returns errors.
  void open(MPI_Comm comm) noexcept {
    comm_ = comm;
    error_ = MPI_SUCCESS;
  }
  /// The first thing that went wrong: an MPI error code.
  [[nodiscard]] int error() const { return error_; }

  void send(engine::Rank to, const std::byte* from, engine::Bytes bytes) noexcept override;
  void receive(engine::Rank from, std::byte* to, engine::Bytes bytes) noexcept override;
  bool received(bool wait) noexcept override { return over(receives_, wait); }
  bool finished(bool wait) noexcept override { return over(receives_, wait) && over(sends_, wait); }

 private:
  struct Row {
    std::vector<MPI_Request> requests;
    std::size_t done = 0;
  };
  template <class Post>
  void begin(Row& row, engine::Bytes bytes, Post post) noexcept;
  bool over(Row& row, bool wait) noexcept;
  void note(int error) noexcept {
    if (error_ == MPI_SUCCESS) error_ = error;
  }

  MPI_Comm comm_ = MPI_COMM_NULL;
  int error_ = MPI_SUCCESS;
  Row sends_, receives_;
};

}  // namespace heddle::mpi
