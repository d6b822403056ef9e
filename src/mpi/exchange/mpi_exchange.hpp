// mpi/exchange/mpi_exchange.hpp: an exchange of blocks (engine/exchange/exchange.hpp) over MPI:
// from datatype to datatype, by messages on a shadow communicator.
//
//   Exchange exchange(*own, outs, ins);
//   for (...) exchange.receive(edge, buffer, bytes);            // in the order in which they are likely to come
//   for (...) exchange.send(edge, buffer, bytes);
//   return exchange.run(comm);                                  // or start(), and advance() until it returns true
#pragma once

#include <vector>

#include "engine/exchange/exchange.hpp"
#include "engine/exchange/persistent_mailboxes.hpp"
#include "mpi/exchange/shadow_comm.hpp"
#include "mpi/network/mpi_network.hpp"
#include "mpi/p2p/send.hpp"
#include "mpi/requests/pending.hpp"
#include "mpi/types/element.hpp"
#include "mpi/types/typed_buffer.hpp"

namespace heddle::mpi {

class Exchange final : private engine::Carrier {
 public:
  /// At most `sends` blocks out, and `receives` blocks in.
  Exchange(const ShadowComm& shadow, int sends, int receives) noexcept;
  /// False: no memory; nothing has been sent.
  explicit operator bool() const { return steps_ && data_; }

  /// Blocks of no bytes, and of MPI_PROC_NULL, are left out.
  void send(const Edge& to, const Buffer& data, Bytes bytes) noexcept {
    if (bytes > 0 && to.rank != MPI_PROC_NULL) data_[steps_.send(to.rank, to.tag, bytes)] = data;
  }
  void receive(const Edge& from, const Buffer& data, Bytes bytes) noexcept {
    if (bytes > 0 && from.rank != MPI_PROC_NULL) data_[steps_.receive(from.rank, from.tag, bytes)] = data;
  }

  /// For a persistent exchange. Adds `first` to all tags (ShadowComm::tags), because ranks may
  /// start persistent exchanges in different orders.
  void tags_from(int first) noexcept { tags_ = first; }

  /// The answers come where the sent blocks lie, so each start packs these aside first. Call it
  /// when all blocks are there. False: no memory.
  bool send_from_aside() noexcept;

  /// For a persistent exchange. Memory that is registered for blocks to other nodes stays
  /// registered from start to start.
  void keep_memory() noexcept { keeps_memory_ = true; }

  /// For a persistent exchange. Moves its short blocks to `mailboxes`. Collective. False: no
  /// memory.
  /// @param neighbours  All its blocks go to neighbours or come from them.
  bool agree(engine::PersistentMailboxes& mailboxes, bool neighbours) noexcept;
  [[nodiscard]] engine::PersistentMailboxes mailboxes() noexcept { return {steps_, *this}; }

  /// Carries out the exchange, and raises errors on `comm`.
  /// @param neighbours  All blocks go to neighbours or come from them.
  Raised run(MPI_Comm comm, bool neighbours = false) {
    use_mailboxes(neighbours);
    steps_.start(true);
    return finish_on(comm);
  }
  /// Carries out a blocking exchange of all ranks. Short blocks go in bundles, by a schedule.
  Raised run_routed(MPI_Comm comm, const select::Candidate& choice, const schedule::Nodes& nodes);

  /// Starts a non-blocking or persistent exchange, again and again if each start is over first.
  void start() noexcept {
    ends_ = Ends::with_request;
    steps_.start(false);
  }
  /// Carries the exchange on as far as it goes now, or to the end. True: it is over.
  bool advance(bool wait) noexcept { return steps_.advance(wait); }
  /// The first error, which has not been raised.
  [[nodiscard]] int error() const { return steps_.error(); }
  [[nodiscard]] bool repeats() const noexcept { return steps_.repeats(); }
  /// Calls `each` with the datatype of every block. It may change the datatype.
  template <class Each>
  void for_each_type(Each each) {
    const auto of = [&](const engine::Block& block) { each(data_[block.number].type); };
    steps_.for_each_send(of);
    steps_.for_each_receive(of);
  }

 private:
  using Block = engine::Block;

  int begin(bool in_call) noexcept override;
  Begun receive(const Block& block, Tickets tickets, int& error) noexcept override;
  Begun send(const Block& block, Tickets tickets, int& error) noexcept override;
  int receive_bytes(const Block& block, std::byte* to, Bytes bytes, Ticket ticket) noexcept override;
  int send_bytes(const Block& block, const std::byte* from, Bytes bytes, Ticket ticket) noexcept override;
  bool over(Ticket ticket, bool wait, int& error) noexcept override;
  Ticket wait_any(Ticket first, int count, int& error) noexcept override;
  bool probe(const Block& block) noexcept override;
  void progress() noexcept override;
  void drive() noexcept override;
  [[nodiscard]] bool crowded() const noexcept override;
  int pack(const Block& block, std::byte* to) noexcept override;
  int find_packed(const Block& block, const std::byte*& at) noexcept override;
  int unpack(const Block& block, const std::byte* from, Bytes bytes) noexcept override;
  bool moves(const Block& from, const Block& to) noexcept override;
  void move(const Block& from, const Block& to) noexcept override;
  std::byte* hold(const Block& block) override;
  [[nodiscard]] int error_of(Failure failure) const noexcept override;

  [[nodiscard]] bool overflows() noexcept;
  [[nodiscard]] bool left_to_host(const Block& block, Route route) noexcept;
  int pack_aside() noexcept;
  void use_mailboxes(bool neighbours);
  Raised finish_on(MPI_Comm comm);
  KeptMemory memory_of(const Block& block) noexcept;
  Envelope envelope(const Block& block) const noexcept { return {block.rank, tags_ + block.tag, shadow_.comm()}; }
  Begun begun(MPI_Request request, Pending* pending, Tickets tickets) noexcept;
  void finish(Ticket ticket, MPI_Status& status, int& error) noexcept;

  const ShadowComm& shadow_;
  int blocks_;  // at most
  engine::Exchange steps_;
  Buffer* data_ = nullptr;           // of each block
  MPI_Request* requests_ = nullptr;  // of each ticket
  Pending** pendings_ = nullptr;     // of each ticket; null: the request is all
  threads::StagingBuffer arrays_;
  int tags_;
  Ends ends_ = Ends::in_collective;
  bool straight_ = false;  // long blocks are left to the host, if it packs as well as Heddle
  bool keeps_memory_ = false;
  Element element_;  // has the type of the block that was packed or unpacked last
  threads::StagingBuffer aside_;
  Buffer* packed_from_ = nullptr;   // of each send, in aside_
  std::vector<KeptMemory> memory_;  // entry for each block, made when needed
  std::vector<Derived> held_;       // entry for each block, made when needed
};

/// A rank without memory must not leave the collective to the host, because other ranks are on
/// Heddle's way. Returns the error code, raised.
inline Raised no_memory_on(MPI_Comm comm) { return raise_new(MPI_ERR_NO_MEM, comm); }

// The blocking calls (calls.cpp). Other forms are in started.hpp. `call` is the name as in
// consistency_check.hpp. `timed` lives until the end of the call. They return nothing if the call
// is not for Heddle, on all ranks alike.

/// Given: Buffer, VArgument or WArgument, not in place.
template <class Given>
Done exchange_all(const char* call, const Given& send, const Given& receive, MPI_Comm comm, TimedCall& timed);

/// True: a quick look shows that an MPI_Allgatherv is left to the library. It has few bytes, or is
/// like the last one that was left.
bool gather_passes(const VArgument& receive, MPI_Comm comm, TimedCall& timed) noexcept;
/// Carries out any other MPI_Allgatherv by a schedule of Heddle. The spread of the volumes decides
/// which.
Done exchange_gather(const Buffer& send, const VArgument& receive, MPI_Comm comm, TimedCall& timed);

}  // namespace heddle::mpi
