// mpi/exchange/reductions.hpp: engine::Reductions over a communicator of Heddle's own. Includes engine/reductions.hpp,
// host.hpp.
#pragma once

#include <array>

#include "engine/reductions.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi {

class Reductions final : public engine::Reductions {
 public:
  /// In MPI_Init; false: the host refuses what they need. Before MPI_Finalize, when none is left.
  static bool open() noexcept;
  static void close() noexcept;

  explicit Reductions(const MPI_Comm& comm) noexcept : comm_(comm) { requests_.fill(MPI_REQUEST_NULL); }

  void begin(int number, std::span<const std::int64_t> mine, std::span<std::int64_t> all, By by) noexcept override;
  void begin(int number, const select::Share& mine, select::Share& all) noexcept override;
  void wait(int number) noexcept override { PMPI_Wait(&request(number), MPI_STATUS_IGNORE); }

 private:
  [[nodiscard]] MPI_Request& request(int number) noexcept { return requests_[static_cast<std::size_t>(number)]; }

  const MPI_Comm& comm_;  // made after this
  std::array<MPI_Request, most> requests_;
};

}  // namespace heddle::mpi
