// sim/smpi/messages.cpp
#include "smpi/messages.hpp"

#include <smpi/smpi.h>

#include <cstring>

namespace heddle::sim {
namespace {

int count(Bytes bytes) { return static_cast<int>(bytes); }

/// Waits in MPI: a simulated rank has nothing else to do.
void all_over(std::vector<MPI_Request>& requests) noexcept {
  if (!requests.empty()) MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  requests.clear();
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

void Messages::send(Rank to, std::span<const engine::Piece> pieces) noexcept {
  charge();
  const std::byte* at = pieces.front().at;
  Bytes bytes = pieces.front().bytes;
  if (pieces.size() > 1) {
    std::vector<std::byte>& gathered = collected_.emplace_back();
    for (const engine::Piece& one : pieces) gathered.insert(gathered.end(), one.at, one.at + one.bytes);
    at = gathered.data();
    bytes = std::ssize(gathered);
  }
  sends_.push_back(MPI_REQUEST_NULL);
  MPI_Isend(at, count(bytes), MPI_BYTE, to, sent_.next(to), MPI_COMM_WORLD, &sends_.back());
}

engine::Channel::Ticket Messages::receive(Rank from, std::byte* at, Bytes room) noexcept {
  charge();
  receives_.push_back(MPI_REQUEST_NULL);
  MPI_Irecv(at, count(room), MPI_BYTE, from, asked_.next(from), MPI_COMM_WORLD, &receives_.back());
  return receives_.size() - 1;
}

bool Messages::received(Ticket ticket, bool /*wait*/) noexcept {
  charge();
  for (; here_ < receives_.size() && here_ <= ticket; ++here_) MPI_Wait(&receives_[here_], MPI_STATUS_IGNORE);
  return true;
}

bool Messages::finished(bool /*wait*/) noexcept {
  charge();
  all_over(receives_);
  all_over(sends_);
  here_ = 0;
  collected_.clear();
  return true;
}

}  // namespace heddle::sim
