// sim/estimate/traffic.cpp
#include "estimate/traffic.hpp"

namespace heddle::sim {

void Traffic::begin() {
  put_down();
  for (Link& link : links_)
    if (link.load > 0) link = {.free = link.done(machine_.network.byte)};
  latest_ = -1;
}

void Traffic::put_down() {
  if (pending_ > 0)
    for (const std::size_t at : route_) {
      Link& link = links_[at];
      link.first = link.load > 0 ? std::min(link.first, first_) : first_;
      link.load += pending_;
    }
  pending_ = 0;
}

void Traffic::take_route(Rank from, Rank to) {
  if (from == from_ && to == to_) return;
  put_down();
  machine_.joined.route(from, to, route_);
  from_ = from;
  to_ = to;
  latest_ = -1;
}

void Traffic::load(Rank from, Rank to, double bytes, double start) {
  const Rank here = machine_.node_of(from);
  const Rank there = machine_.node_of(to);
  if (here == there || bytes <= 0) return;
  take_route(here, there);
  first_ = pending_ > 0 ? std::min(first_, start) : start;
  pending_ += bytes;
}

double Traffic::arrival(const Message& message) {
  const Rank here = machine_.node_of(message.from);
  const Rank there = machine_.node_of(message.to);
  if (here == there) return message.start + machine_.local.latency + message.bytes * machine_.local.byte;
  put_down();
  take_route(here, there);
  const double latency = static_cast<double>(route_.size()) * machine_.network.latency;
  const double alone = message.start + latency + message.bytes * machine_.network.byte;
  if (message.bytes <= 0) return alone;
  if (latest_ < 0)
    for (const std::size_t link : route_) latest_ = std::max(latest_, links_[link].done(machine_.network.byte));
  return std::max(alone, latest_ + latency);
}

}  // namespace heddle::sim
