// bench/links/messages.cpp
#include "links/messages.hpp"

#include <mpi.h>

#include <algorithm>
#include <stdexcept>

#include "transport/fabric/incoming.hpp"

namespace heddle::bench::links {
namespace {

constexpr int tag = 4;
constexpr int words = 5;               // a tag that no other message uses
constexpr std::size_t room = 2 << 20;  // 1 MiB in blocks, with holes of the same length

/// The length of the descriptor of Heddle's messages.
struct Descriptor {
  fabric::Announcement announcement;
  std::byte rest[56]{};
};

std::unique_ptr<fabric::Fabric> opened(const std::string& provider, std::string& why) {
  fabric::Failure failure = fabric::Failure::none;
  const bool any = provider == "auto";
  fabric::Options options{.wanted = {.provider = any ? "" : provider, .sockets = !any}, .nonce = 1, .segment = 256 << 10};
  auto fabric = fabric::Fabric::open(options, failure, why);
  options.wanted.sockets = true;
  return fabric || !any ? std::move(fabric) : fabric::Fabric::open(options, failure, why);
}

bool done(MPI_Request& request) {
  int flag = 0;
  PMPI_Test(&request, &flag, MPI_STATUS_IGNORE);
  return flag != 0;
}

}  // namespace

Messages::Messages(int me, const std::string& provider) : me_(me), other_(1 - me), out_(room), in_(room) {
  std::string why;
  fabric_ = opened(provider, why);
  const unsigned mark = fabric_ ? 1U + fabric::mark_of(abilities().provider) : 0;
  unsigned least = 0;
  unsigned most = 0;
  PMPI_Allreduce(&mark, &least, 1, MPI_UNSIGNED, MPI_MIN, MPI_COMM_WORLD);
  PMPI_Allreduce(&mark, &most, 1, MPI_UNSIGNED, MPI_MAX, MPI_COMM_WORLD);
  if (!fabric_) throw std::runtime_error("there is no fabric: " + why);
  if (least == 0) throw std::runtime_error("the other node has no fabric");
  if (least != most) throw std::runtime_error("the two nodes have different fabrics; name one by HEDDLE_FABRIC");
}

void Messages::write(int number) { std::ranges::fill(out_, static_cast<std::byte>(number)); }

void Messages::by_library(int bytes, int times) {
  for (int i = 0; i < times; ++i) {
    if (me_ == 0) PMPI_Send(out_.data(), bytes, MPI_BYTE, other_, tag, MPI_COMM_WORLD);
    PMPI_Recv(in_.data(), bytes, MPI_BYTE, other_, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (me_ == 1) PMPI_Send(out_.data(), bytes, MPI_BYTE, other_, tag, MPI_COMM_WORLD);
  }
}

/// Looks for replies about messages, as Heddle does while it waits (engine/network/network.cpp).
void Messages::listen() {
  constexpr std::int64_t between_looks = 2000;
  const std::int64_t now = fabric::steady_ns();
  if (now - heard_ < between_looks) return;
  heard_ = now;
  int found = 0;
  PMPI_Iprobe(MPI_ANY_SOURCE, words, MPI_COMM_WORLD, &found, MPI_STATUS_IGNORE);
}

void Messages::send(const layout::Layout& type, const fabric::Plan& plan) {
  fabric::Outgoing message(*fabric_, {&type, 1, out_.data()}, plan);
  Descriptor descriptor{message.announcement()};
  MPI_Request announced = MPI_REQUEST_NULL;
  PMPI_Isend(&descriptor, sizeof descriptor, MPI_BYTE, other_, tag, MPI_COMM_WORLD, &announced);
  for (bool out = false; message.progress() == fabric::State::working; listen()) out = out || done(announced);
  if (message.state() == fabric::State::failed) throw std::runtime_error(fabric::words(message.failure()));
  PMPI_Wait(&announced, MPI_STATUS_IGNORE);
}

void Messages::receive(const layout::Layout& type) {
  Descriptor descriptor;
  MPI_Request announced = MPI_REQUEST_NULL;
  PMPI_Irecv(&descriptor, sizeof descriptor, MPI_BYTE, other_, tag, MPI_COMM_WORLD, &announced);
  while (!done(announced)) fabric_->advance();
  fabric::Incoming message(*fabric_, descriptor.announcement, {&type, 1, in_.data()}, {});
  while (message.progress() == fabric::State::working) listen();
  if (message.state() == fabric::State::failed) throw std::runtime_error(fabric::words(message.failure()));
}

void Messages::until_both_are_here() {
  MPI_Request both = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &both);
  while (!done(both)) fabric_->advance();
}

void Messages::by_fabric(const layout::Layout& type, const fabric::Plan& plan, int times) {
  for (int i = 0; i < times; ++i) {
    if (me_ == 0) send(type, plan);
    receive(type);
    if (me_ == 1) send(type, plan);
  }
  until_both_are_here();
}

}  // namespace heddle::bench::links
