// sim/smpi/messages.cpp
#include "smpi/messages.hpp"

#include <smpi/smpi.h>

#include <cstring>

namespace heddle::sim {
namespace {

int count(Bytes bytes) { return static_cast<int>(bytes); }

/// MPI waits; there is nothing else to do in a simulation.
bool all_over(std::vector<MPI_Request>& requests) noexcept {
  if (!requests.empty()) MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();
  return true;
}

}  // namespace

void spend(double ns) {
  if (ns > 0) smpi_execute(ns * 1e-9);
}

void Messages::charge() {
  if (router_ == nullptr) return;
  const engine::Router::Tally& tally = router_->tally();
  const auto copied = static_cast<double>(tally.copied - charged_.copied);
  const auto packets = static_cast<double>(tally.packets - charged_.packets);
  charged_ = tally;
  spend(copied * machine_.copy + packets * machine_.block);
}

void Messages::send(Rank to, std::span<const engine::Piece> pieces) {
  charge();
  const std::byte* at = pieces.front().at;
  Bytes bytes = pieces.front().bytes;
  if (pieces.size() > 1) {
    std::vector<std::byte>& all = collected_.emplace_back();
    for (const engine::Piece& one : pieces) all.insert(all.end(), one.at, one.at + one.bytes);
    at = all.data();
    bytes = std::ssize(all);
  }
  requests_.push_back(MPI_REQUEST_NULL);
  MPI_Isend(at, count(bytes), MPI_BYTE, to, sent_.next(to), MPI_COMM_WORLD, &requests_.back());
}

engine::Carrier::Ticket Messages::receive(Rank from, std::byte* at, Bytes room) {
  charge();
  requests_.push_back(MPI_REQUEST_NULL);
  MPI_Irecv(at, count(room), MPI_BYTE, from, asked_.next(from), MPI_COMM_WORLD, &requests_.back());
  return requests_.size() - 1;
}

void Messages::wait(Ticket ticket) {
  charge();
  MPI_Wait(&requests_[ticket], MPI_STATUS_IGNORE);
}

void Messages::settle() {
  charge();
  all_over(requests_);
  collected_.clear();
}

void Line::send(Rank to, const std::byte* from, Bytes bytes) noexcept {
  sends_.push_back(MPI_REQUEST_NULL);
  MPI_Isend(from, count(bytes), MPI_BYTE, to, sent_.next(to), MPI_COMM_WORLD, &sends_.back());
}

void Line::receive(Rank from, std::byte* to, Bytes bytes) noexcept {
  receives_.push_back(MPI_REQUEST_NULL);
  MPI_Irecv(to, count(bytes), MPI_BYTE, from, asked_.next(from), MPI_COMM_WORLD, &receives_.back());
}

bool Line::received(bool /*wait*/) noexcept { return all_over(receives_); }
bool Line::finished(bool /*wait*/) noexcept { return all_over(receives_) && all_over(sends_); }

}  // namespace heddle::sim
