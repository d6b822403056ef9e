// mpi/sparse/shadow.hpp: the communicator on which the exchanges of one of the program's communicators travel, and how.
// Includes host.hpp.
//
//   Shadow* shadow = Shadow::of(comm);                 // collective at the first call; null: no memory, or the host refuses
//   PMPI_Issend(..., shadow->consensus_tag(), shadow->comm());
//
// It is ShadowComm's communicator where there is one, else one of its own, freed with the program's, of which the host tells us
// through an attribute. The way is agreed on when it is made: all ranks come to the same one, whatever their environments say.
#pragma once

#include <cstdint>
#include <string_view>

#include "layout/bytes.hpp"
#include "mpi/exchange/topology.hpp"
#include "mpi/handles/deferred.hpp"
#include "mpi/process/host.hpp"

namespace heddle::mpi::sparse {

using layout::Bytes;

/// How exchanges go; the same on all ranks.
struct Agreed {
  std::string_view way;  ///< A name of schedule::exchange().
  int radix = 2;
  int channels = 1;
  Bytes segment = 0;
};

class Shadow final : public Deferred {
 public:
  void free() override;
  static Shadow* of(MPI_Comm comm);
  /// Before MPI_Finalize: frees those whose communicator the program has not freed.
  static void close() noexcept;

  [[nodiscard]] MPI_Comm comm() const { return comm_; }
  [[nodiscard]] int me() const { return me_; }
  [[nodiscard]] int ranks() const { return ranks_; }
  /// More ranks than cores: waiting gives the core away.
  [[nodiscard]] bool crowded() const { return crowded_; }
  [[nodiscard]] const Agreed& agreed() const { return agreed_; }

  // Tags: pair by pair collectives use those from 0 on, each neighbour's edges counted.
  static constexpr int direct_tag = 32760;
  static constexpr int router_tag = 32761;
  /// Of an exchange; the next one's differs: a quick rank may begin it before a slow one has seen the end of this one.
  int consensus_tag() { return 32762 + (turn_++ & 1); }

  ~Shadow() override;
  Shadow(const Shadow&) = delete;
  Shadow& operator=(const Shadow&) = delete;

 private:
  Shadow() = default;
  static Shadow* make(MPI_Comm comm);
  void agree(MPI_Comm comm, const Topology& around);

  MPI_Comm comm_ = MPI_COMM_NULL;
  bool own_ = false;
  std::int64_t number_ = 0;  // as exchange/numbered.hpp has it
  int me_ = 0;
  int ranks_ = 1;
  bool crowded_ = false;
  int turn_ = 0;
  Agreed agreed_;
};

}  // namespace heddle::mpi::sparse
