// sim/smpi/blocks.cpp
#include "smpi/blocks.hpp"

#include <cstring>

namespace heddle::sim {
namespace {

constexpr int first_tag = 1 << 20;  // above the tags of messages.hpp

int count(Bytes bytes) { return static_cast<int>(bytes); }

void copy_bytes(std::byte* to, const std::byte* from, Bytes bytes) { std::memcpy(to, from, static_cast<std::size_t>(bytes)); }

}  // namespace

/// The exchange follows these receives, so it completes them in the order of arrival. Each then
/// costs its processor time.
Blocks::Begun Blocks::receive(const engine::Block& block, Tickets tickets, int& error) noexcept {
  error = receive_bytes(block, where(block), block.bytes, tickets.followed);
  return Begun::followed;
}

Blocks::Begun Blocks::send(const engine::Block& block, Tickets tickets, int& error) noexcept {
  error = send_bytes(block, where(block), block.bytes, tickets.plain);
  return Begun::plain;
}

int Blocks::receive_bytes(const engine::Block& block, std::byte* to, Bytes bytes, Ticket ticket) noexcept {
  return MPI_Irecv(to, count(bytes), MPI_BYTE, block.rank, first_tag + block.tag, MPI_COMM_WORLD, &requests_[index(ticket)]);
}

int Blocks::send_bytes(const engine::Block& block, const std::byte* from, Bytes bytes, Ticket ticket) noexcept {
  return MPI_Isend(from, count(bytes), MPI_BYTE, block.rank, first_tag + block.tag, MPI_COMM_WORLD, &requests_[index(ticket)]);
}

/// Never tests a request without waiting: MPI_Test takes simulated time that no real processor
/// would spend.
bool Blocks::over(Ticket ticket, bool wait, int& error) noexcept {
  MPI_Request& request = requests_[index(ticket)];
  error = wait ? MPI_Wait(&request, MPI_STATUS_IGNORE) : MPI_SUCCESS;
  return request == MPI_REQUEST_NULL;
}

engine::Carrier::Ticket Blocks::wait_any(Ticket first, int count, int& error) noexcept {
  int which = MPI_UNDEFINED;
  error = MPI_Waitany(count, requests_.data() + first, &which, MPI_STATUS_IGNORE);
  return which == MPI_UNDEFINED ? none : first + which;
}

int Blocks::pack(const engine::Block& block, std::byte* to) noexcept {
  copy_bytes(to, where(block), block.bytes);
  return MPI_SUCCESS;
}

int Blocks::unpack(const engine::Block& block, const std::byte* from, Bytes bytes) noexcept {
  copy_bytes(where(block), from, bytes);
  unpacked_ += bytes;
  return MPI_SUCCESS;
}

void Blocks::move(const engine::Block& from, const engine::Block& to) noexcept {
  copy_bytes(where(to), where(from), from.bytes);
}

}  // namespace heddle::sim
