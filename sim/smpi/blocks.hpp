// sim/smpi/blocks.hpp: carries the blocks of an exchange by SMPI's messages. Blocks are contiguous.
//
//   Blocks blocks(sends + receives);
//   engine::Exchange exchange(blocks, me, sends, receives);
//   blocks.put(exchange.send(rank, 0, bytes), at);            // the block lies at `at`
#pragma once

#include <mpi.h>

#include <vector>

#include "engine/exchange/carrier.hpp"

namespace heddle::sim {

using engine::Bytes;

class Blocks final : public engine::Carrier {
 public:
  explicit Blocks(int most) : at_(index(most)), requests_(index(most), MPI_REQUEST_NULL) {}

  void put(int number, std::byte* at) { at_[index(number)] = at; }
  /// Bytes unpacked from bundles so far.
  [[nodiscard]] Bytes unpacked() const { return unpacked_; }

  Begun receive(const engine::Block& block, Tickets tickets, int& error) noexcept override;
  Begun send(const engine::Block& block, Tickets tickets, int& error) noexcept override;
  int receive_bytes(const engine::Block& block, std::byte* to, Bytes bytes, Ticket ticket) noexcept override;
  int send_bytes(const engine::Block& block, const std::byte* from, Bytes bytes, Ticket ticket) noexcept override;
  bool over(Ticket ticket, bool wait, int& error) noexcept override;
  Ticket wait_any(Ticket first, int count, int& error) noexcept override;
  /// Only exchanges over mailboxes probe, and a simulation has no mailboxes.
  bool probe(const engine::Block& /*block*/) noexcept override { return false; }
  void progress() noexcept override {}  // the simulator makes progress

  int pack(const engine::Block& block, std::byte* to) noexcept override;
  int find_packed(const engine::Block& block, const std::byte*& at) noexcept override { return at = where(block), 0; }
  int unpack(const engine::Block& block, const std::byte* from, Bytes bytes) noexcept override;
  bool moves(const engine::Block& /*from*/, const engine::Block& /*to*/) noexcept override { return true; }
  void move(const engine::Block& from, const engine::Block& to) noexcept override;
  /// A simulation needs no error class: it only asks whether there was an error.
  [[nodiscard]] int error_of(Failure /*failure*/) const noexcept override { return MPI_ERR_OTHER; }

 private:
  static std::size_t index(int number) { return static_cast<std::size_t>(number); }
  [[nodiscard]] std::byte* where(const engine::Block& block) const { return at_[index(block.number)]; }

  std::vector<std::byte*> at_;         ///< Address of each block.
  std::vector<MPI_Request> requests_;  ///< Request of each ticket.
  Bytes unpacked_ = 0;
};

}  // namespace heddle::sim
