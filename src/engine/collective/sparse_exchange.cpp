// engine/collective/sparse_exchange.cpp
//
//   consensus   rank 0   send ──► 2   received: barrier ─────────────► over
//               rank 1   (nothing to send)      barrier ─────────────► over
//               rank 2   send ──► 0   find, receive     barrier ─────► over     all sends are received: no message is left
//                                                                               anywhere
//   counts      all-to-all: for each rank {messages, bytes};  a rank with several messages for one rank sends their sizes, too;
//               now every place is known: receives are posted there, then the sends;  messages of no bytes need not travel
#include "engine/collective/sparse_exchange.hpp"

#include <algorithm>
#include <limits>

#include "engine/base/wait.hpp"

namespace heddle::engine::sparse {

std::byte* Exchange::keep(Bytes bytes) {
  kept_.push_back(std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes)));
  return kept_.back().get();
}

/// The packed bytes of a departure: where they lie, or in memory of the exchange.
const std::byte* Exchange::bytes_of(std::size_t departure) {
  const Departure& one = program_.departures()[departure];
  if (one.packed || one.bytes == 0) return one.packed;
  std::byte* packed = keep(one.bytes);
  program_.pack(departure, packed);
  return packed;
}

void Exchange::take_own() {
  const std::span<const Departure> departures = program_.departures();
  for (std::size_t i = 0; i < departures.size(); ++i)
    if (departures[i].to == me_) arrivals_.push_back({me_, departures[i].bytes, bytes_of(i)});
}

/// Called when all arrivals are known; those that have not come yet have no address. Receives
/// these, straight into place if possible. Sends all messages of at least `least` bytes to other
/// ranks.
void Exchange::deliver(Bytes least) {
  std::ranges::stable_sort(arrivals_, {}, &Arrival::from);
  program_.lay_out(arrivals_);
  for (std::size_t i = 0; i < arrivals_.size(); ++i) {
    Arrival& one = arrivals_[i];
    if (one.bytes == 0 || one.at) continue;
    std::byte* at = program_.place_of(i);
    if (!at) at = keep(one.bytes);
    one.at = at;
    direct_.receive(one.from, at, one.bytes);
  }
  const std::span<const Departure> departures = program_.departures();
  for (std::size_t i = 0; i < departures.size(); ++i)
    if (departures[i].to != me_ && departures[i].bytes >= least)
      direct_.send(departures[i].to, bytes_of(i), departures[i].bytes);
  direct_.finished(true);
  direct_.check();
}

bool Exchange::take_one(Anybody& anybody) {
  const std::optional<Anybody::Found> found = anybody.find();
  if (!found) return false;
  std::byte* at = keep(found->bytes);
  arrivals_.push_back({found->from, found->bytes, at});
  anybody.receive(at, found->bytes);
  return true;
}

void Exchange::by_consensus(Anybody& anybody, bool crowded) {
  take_own();
  const std::span<const Departure> departures = program_.departures();
  for (std::size_t i = 0; i < departures.size(); ++i)
    if (departures[i].to != me_) anybody.send(departures[i].to, bytes_of(i), departures[i].bytes);
  Patience patience(crowded);
  bool over = ranks_ == 1;
  bool leaving = false;  // the barrier has begun
  while (!over) {
    const bool came = take_one(anybody);
    if (leaving) {
      over = anybody.barrier_is_over();
    } else if (anybody.all_received()) {
      anybody.begin_barrier();
      leaving = true;
    }
    if (came)
      patience.renew();
    else if (!over)
      patience.pause();
  }
  anybody.finish_receives();
  deliver(std::numeric_limits<Bytes>::max());
}

/// Sizes of messages by source, for sources that send this rank several messages.
Exchange::Sizes Exchange::sizes_of_several(std::span<const Volume> out, std::span<const Volume> in) {
  const auto bytes = [](const std::vector<std::int64_t>& sizes) { return std::ssize(sizes) * Bytes{sizeof(std::int64_t)}; };
  const auto several = [this](std::span<const Volume> volumes, Rank rank) {
    return rank != me_ && volumes[static_cast<std::size_t>(rank)].messages > 1;
  };
  Sizes said;
  Sizes heard;
  for (const Departure& one : program_.departures())
    if (several(out, one.to)) said[one.to].push_back(one.bytes);
  for (Rank rank = 0; rank < ranks_; ++rank) {
    if (!several(in, rank)) continue;
    auto& sizes = heard[rank];
    sizes.resize(static_cast<std::size_t>(in[static_cast<std::size_t>(rank)].messages));
    direct_.receive(rank, reinterpret_cast<std::byte*>(sizes.data()), bytes(sizes));
  }
  for (const auto& [rank, sizes] : said) direct_.send(rank, reinterpret_cast<const std::byte*>(sizes.data()), bytes(sizes));
  direct_.finished(true);
  direct_.check();
  return heard;
}

void Exchange::by_counts(const AllToAll& all_to_all) {
  std::vector<Volume> out(static_cast<std::size_t>(ranks_));
  std::vector<Volume> in(out.size());
  for (const Departure& one : program_.departures()) {
    Volume& volume = out[static_cast<std::size_t>(one.to)];
    ++volume.messages;
    volume.bytes += one.bytes;
  }
  all_to_all(out, in);
  const Sizes several = sizes_of_several(out, in);
  for (Rank rank = 0; rank < ranks_; ++rank) {
    const Volume& volume = in[static_cast<std::size_t>(rank)];
    if (rank == me_ || volume.messages == 0) continue;
    if (volume.messages == 1)
      arrivals_.push_back({rank, volume.bytes, nullptr});
    else
      for (const std::int64_t bytes : several.at(rank)) arrivals_.push_back({rank, bytes, nullptr});
  }
  take_own();
  deliver(1);
}

void Exchange::by_crystal(const schedule::Place& place, const Router::Options& options, Bytes beside, Channel& bundles) {
  Freight& freight = *this;
  router_.emplace(place, me_, options, bundles, freight);
  const std::span<const Departure> departures = program_.departures();
  for (std::size_t i = 0; i < departures.size(); ++i) {
    const Departure& one = departures[i];
    if (one.bytes >= beside && one.to != me_)
      router_->announce(one.to, one.bytes);
    else
      router_->add(one.to, one.bytes, one.packed, i);
  }
  router_->run();
  for (const Router::Packet& packet : router_->arrived()) arrivals_.push_back({packet.from, packet.bytes, packet.at});
  deliver(beside);
}

}  // namespace heddle::engine::sparse
