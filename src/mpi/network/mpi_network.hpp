// mpi/network/mpi_network.hpp: the ranks on other nodes, and the fabric that carries messages with
// holes to them (docs/fabric.md). This is MPI's part for the engine's network.
//
//   if (Network* network = Network::here())                     // null: all ranks share this node, or HEDDLE_FABRIC=off
//     if (const int world = network->elsewhere(comm, dest); world >= 0) ...
//
// Its ranks are those of MPI_COMM_WORLD. If the fabric cannot bring a message after all, the host
// brings it packed, on a communicator of Heddle's own. The tag says which message it is (tag_of).
#pragma once

#include <atomic>
#include <cstring>
#include <list>
#include <memory>

#include "engine/network/kept_memory.hpp"
#include "engine/network/network.hpp"
#include "mpi/communicators/communicator_registry.hpp"
#include "settings/settings.hpp"
#include "threads/read_by_every_call.hpp"
#include "threads/staging_pool.hpp"

namespace heddle::mpi {

using engine::KeptMemory;
using engine::NetworkMemory;
using layout::Bytes;

class Network final : public engine::Network {
 public:
  /// True: the fabric may be quicker than the MPI library between nodes. This machine has an
  /// adapter, or HEDDLE_FABRIC names a provider, or `heddle tune` has found that sockets pay.
  /// False: receives do not wait for descriptors of other nodes, because that would make packed
  /// messages slower.
  static bool may_gain(const settings::Settings& set) noexcept;
  /// The reason for false, with HEDDLE_FABRIC=auto.
  static constexpr const char* no_adapter = "this host has no network adapter but for sockets (HEDDLE_FABRIC=tcp takes these)";
  static Network* here() noexcept { return here_.load(std::memory_order_acquire); }
  /// Collective over MPI_COMM_WORLD, in MPI_Init, if all ranks wish it.
  static void start() noexcept;
  /// Called first in MPI_Finalize.
  static void ends() noexcept {
    if (Network* const network = here()) network->open_no_more();
  }
  /// MPI_Finalize calls it when the program has completed its requests. Collective if `together`.
  /// Otherwise this rank waits for no other rank (finalize_waits()).
  static void stop(bool together) noexcept;

  /// The rank in MPI_COMM_WORLD of rank `rank` of `comm`, if it is on another node; else -1.
  [[nodiscard]] int elsewhere(MPI_Comm comm, int rank) const { return elsewhere(communicators::world_rank(comm, rank)); }
  /// Any thread may ask this about an operation under way.
  [[nodiscard]] int elsewhere(const communicators::Hold& comm, int rank) const { return elsewhere(comm.world_rank(rank)); }
  /// Heddle's own communicator, of all ranks.
  [[nodiscard]] MPI_Comm comm() const noexcept { return comm_; }
  /// The tag of the packed bytes of a message on comm().
  [[nodiscard]] int tag_of(std::uint32_t number) const noexcept {
    return 1 + static_cast<int>(number % static_cast<std::uint32_t>(most_tag_));
  }

  /// Packed bytes that have come from another rank before Heddle knew to which receive they belong.
  /// Only carry_on() of operations uses them.
  struct Stray {
    int from = 0;
    int tag = 0;  ///< tag_of() the message.
    MPI_Request request = MPI_REQUEST_NULL;
    Bytes bytes = 0;
    threads::StagingBuffer packed;

    [[nodiscard]] bool here() noexcept {
      int done = 0;
      return PMPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done;
    }
    [[nodiscard]] Bytes total() const noexcept { return bytes - Bytes{sizeof(engine::PackedTrailer)}; }
    [[nodiscard]] engine::PackedTrailer trailer() const noexcept {
      engine::PackedTrailer trailer;
      std::memcpy(&trailer, packed.data() + total(), sizeof trailer);
      return trailer;
    }
  };
  /// Begins to receive the packed messages that have come from that rank.
  void take_strays(int from) noexcept;
  /// Null: no such message has been taken in.
  [[nodiscard]] Stray* stray(int from, int tag) noexcept;
  /// Of the messages of that rank with the tag `programs` and on communicator number `comm` that no
  /// operation awaits: number `which` in the order in which they were sent, if at least `expected`
  /// are here. Else null.
  [[nodiscard]] Stray* unawaited(int from, int programs, std::uint32_t comm, std::size_t which, std::size_t expected);
  void forget(const Stray* stray) noexcept;

 private:
  struct Sent {
    Word word;
    MPI_Request request = MPI_REQUEST_NULL;
  };

  explicit Network(MPI_Comm comm) : comm_(comm) {}
  bool prepare() noexcept;
  [[nodiscard]] int elsewhere(int world) const noexcept;
  std::unique_ptr<transport::fabric::Fabric> make_fabric() override;
  void has_no_fabric(const char* why) noexcept override;
  void tell(int rank, const Word& word) override;
  void complain_of(int rank) override;
  void hear() noexcept override;
  void take_word(MPI_Message& message, int from) noexcept;
  /// True: another rank has not heard some word of this rank yet.
  bool talks() noexcept;
  void discard() noexcept;
  void meet() noexcept;
  void leave() noexcept;
  void close() noexcept;

  HEDDLE_READ_BY_EVERY_CALL static constinit std::atomic<Network*> here_;

  MPI_Comm comm_;
  int most_tag_ = 32766;
  std::list<Stray> strays_;
  std::list<Sent> words_;      // guarded by the wireup's lock
  bool all_received_ = false;  // all receives of the program are complete, on all ranks
};

/// True: the bytes begin like a descriptor from another node.
inline bool begins_like_network_descriptor(const void* first) noexcept {
  const Network* network = Network::here();
  return network && engine::is_descriptor(first, network->nonce());
}

}  // namespace heddle::mpi
