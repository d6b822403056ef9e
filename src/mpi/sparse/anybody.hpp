// mpi/sparse/anybody.hpp: messages from whoever sends (engine/sparse.hpp) on a shadow communicator. Includes engine/sparse.hpp,
// exchange/shadow_comm.hpp.
#pragma once

#include <vector>

#include "engine/sparse.hpp"
#include "mpi/exchange/shadow_comm.hpp"

namespace heddle::mpi::sparse {

class Anybody final : public engine::sparse::Anybody {
 public:
  explicit Anybody(ShadowComm& shadow) noexcept : comm_(shadow.comm()), tag_(shadow.consensus_tag()) {}

  void send(engine::Rank to, const std::byte* at, layout::Bytes bytes) override;
  bool all_received() override;
  std::optional<Found> find() override;
  void receive(std::byte* to, layout::Bytes bytes) override;
  void finish_receives() override;
  void begin_barrier() override;
  bool barrier_is_over() override;

 private:
  MPI_Comm comm_;
  int tag_;
  MPI_Message found_ = MPI_MESSAGE_NULL;
  MPI_Request barrier_ = MPI_REQUEST_NULL;
  std::vector<MPI_Request> sends_, receives_;
};

}  // namespace heddle::mpi::sparse
