// mpi/sparse/counts.cpp: counts and direct (schedule/exchange/counts.cpp).
//
//   all-to-all: for each rank {messages, bytes};  who sends several to one rank sends their sizes, too;
//   now every place is known: receives are posted there, then the sends;  messages of no bytes need not travel
#include <cstdint>
#include <map>

#include "mpi/sparse/ways.hpp"

namespace heddle::mpi::sparse {
namespace {

struct Volume {
  std::int64_t messages = 0;
  std::int64_t bytes = 0;
};
static_assert(sizeof(long) == sizeof(std::int64_t));

using Sizes = std::vector<std::int64_t>;

std::byte* raw(Sizes& sizes) { return reinterpret_cast<std::byte*>(sizes.data()); }
Bytes length(const Sizes& sizes) { return static_cast<Bytes>(sizes.size() * sizeof(std::int64_t)); }

/// What every other rank has for us.
std::vector<Volume> volumes(const Job& job) {
  std::vector<Volume> out(static_cast<std::size_t>(job.shadow.ranks()));
  std::vector<Volume> in(out.size());
  for (const Outgoing::Message& message : job.out.messages()) {
    Volume& volume = out[static_cast<std::size_t>(message.to)];
    ++volume.messages;
    volume.bytes += message.bytes;
  }
  check(PMPI_Alltoall(out.data(), 2, MPI_LONG, in.data(), 2, MPI_LONG, job.shadow.comm()));
  return in;
}

/// The sizes of those messages that are not alone between their ranks.
std::map<int, Sizes> sizes_of_several(const Job& job, const std::vector<Volume>& volumes) {
  const ShadowComm& shadow = job.shadow;
  std::map<int, Sizes> out;
  std::map<int, Sizes> in;
  for (const Outgoing::Message& message : job.out.messages()) out[message.to].push_back(message.bytes);
  Requests requests;
  for (int rank = 0; rank < shadow.ranks(); ++rank)
    if (const Volume& volume = volumes[static_cast<std::size_t>(rank)]; volume.messages > 1 && rank != shadow.me()) {
      Sizes& sizes = in[rank];
      sizes.resize(static_cast<std::size_t>(volume.messages));
      receive(raw(sizes), length(sizes), rank, tags::sparse_direct, shadow.comm(), requests);
    }
  for (auto& [rank, sizes] : out)
    if (sizes.size() > 1 && rank != shadow.me())
      send(raw(sizes), length(sizes), rank, tags::sparse_direct, shadow.comm(), requests);
  wait_all(requests);
  return in;
}

}  // namespace

int by_counts(Job& job) {
  const ShadowComm& shadow = job.shadow;
  Incoming& in = job.in;
  const std::vector<Volume> expected = volumes(job);
  const std::map<int, Sizes> several = sizes_of_several(job, expected);
  for (int rank = 0; rank < shadow.ranks(); ++rank) {
    const Volume& volume = expected[static_cast<std::size_t>(rank)];
    if (rank == shadow.me() || volume.messages == 0) continue;
    if (volume.messages == 1)
      in.add(rank, nullptr, volume.bytes);
    else
      for (const std::int64_t bytes : several.at(rank)) in.add(rank, nullptr, bytes);
  }
  for (const Outgoing::Message& message : job.out.messages())
    if (message.to == shadow.me()) in.add(shadow.me(), bytes_of(message, job), message.bytes);
  return deliver(job, 1);
}

}  // namespace heddle::mpi::sparse
