// mpi/exchange/mpi_carrier.hpp: the engine's channel and reductions over MPI. The channel sends
// messages of bytes on a communicator of Heddle's own, which returns errors. The reductions go over
// a communicator of the program.
//
//   Channel channel(own.comm(), own.tag(tags::bundles));
//   engine::Router router(place, own.me(), options, channel, freight);
#pragma once

#include <array>
#include <vector>

#include "engine/collective/channel.hpp"
#include "engine/collective/reductions.hpp"
#include "mpi/process/host.hpp"
#include "mpi/process/shared_copy.hpp"

namespace heddle::mpi {

class Channel final : public engine::Channel {
 public:
  /// The channel sends memory of the program, or bytes that Heddle has packed or brought together
  /// (shared_copy.hpp).
  enum class Holds : bool { programs, packed };
  Channel(MPI_Comm comm, int tag, Holds holds = Holds::programs) noexcept : comm_(comm), tag_(tag), holds_(holds) {}

  using engine::Channel::received;
  using engine::Channel::send;
  void send(engine::Rank to, std::span<const engine::Piece> pieces) noexcept override;
  Ticket receive(engine::Rank from, std::byte* to, engine::Bytes room) noexcept override;
  bool received(Ticket ticket, bool wait) noexcept override { return over(receives_, ticket, wait); }
  bool finished(bool wait) noexcept override;
  /// An MPI error code.
  [[nodiscard]] int error() const noexcept override { return error_; }

 private:
  struct Row {
    std::vector<MPI_Request> requests;
    std::size_t done = 0;  ///< The first `done` requests are complete.
  };
  void keep(Row& row, MPI_Request request) noexcept;
  bool over(Row& row, Ticket last, bool wait) noexcept;
  int gather(engine::Rank to, std::span<const engine::Piece> pieces, MPI_Request* request) noexcept;
  void note(int error) noexcept {
    if (error_ == MPI_SUCCESS) error_ = error;
  }

  MPI_Comm comm_;
  int tag_;
  Holds holds_;
  int error_ = MPI_SUCCESS;
  Row sends_, receives_;
};

class Reductions final : public engine::Reductions {
 public:
  /// open(): in MPI_Init. False: the host refuses the datatype or the operation. close(): before
  /// MPI_Finalize, when no object is left.
  static bool open() noexcept;
  static void close() noexcept;

  explicit Reductions(const MPI_Comm& comm) noexcept : comm_(comm) { requests_.fill(MPI_REQUEST_NULL); }

  void begin(int number, std::span<const std::int64_t> mine, std::span<std::int64_t> all, By by) noexcept override;
  void begin(int number, const select::Share& mine, select::Share& all) noexcept override;
  void wait(int number) noexcept override { PMPI_Wait(&request(number), MPI_STATUS_IGNORE); }

 private:
  [[nodiscard]] MPI_Request& request(int number) noexcept { return requests_[static_cast<std::size_t>(number)]; }

  const MPI_Comm& comm_;  // set after this object is made
  std::array<MPI_Request, most> requests_;
};

}  // namespace heddle::mpi
