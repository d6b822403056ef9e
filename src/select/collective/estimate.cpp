// select/collective/estimate.cpp: advances clocks of all ranks, links and nodes.
#include "select/collective/estimate.hpp"

#include <algorithm>
#include <functional>

namespace heddle::select {
namespace {

using schedule::Nodes;
using schedule::Place;
using schedule::Ranks;
using schedule::Round;
using schedule::Send;

std::size_t index(Count i) { return static_cast<std::size_t>(i); }

/// Clocks, ns. A rank sends and receives messages one after the other. The ranks of a node share
/// its network link.
class Clocks {
 public:
  Clocks(const Where& where, const Nodes* nodes)
      : links_(*where.links),
        nodes_(nodes),
        now_(index(where.ranks), 0),
        out_(nodes != nullptr ? index(nodes->count()) : 1, 0) {}

  void begin_round() {
    sending_ = there_ = now_;
    messages_.clear();
  }
  void message(Rank from, Rank to, double bytes) {
    const bool leaves = nodes_ != nullptr && nodes_->of(from) != nodes_->of(to);
    const Link& link = leaves ? links_.network : links_.node;
    double& sender = sending_[index(from)];
    messages_.push_back({from, to, bytes, sender + bytes * link.byte, leaves});
    sender += std::max(link.message, bytes * link.byte);
  }
  /// Adds a rank's own work after all messages have arrived.
  void work(Rank rank, double ns) { there_[index(rank)] += ns; }
  /// Delivers the messages that are under way.
  void deliver() {
    std::ranges::sort(messages_, {}, &Message::at);
    for (Message& one : messages_) {
      const Link& link = one.leaves ? links_.network : links_.node;
      if (one.leaves) {
        double& out = out_[index(nodes_->of(one.from))];
        one.at = out = std::max(one.at, out + one.bytes * link.byte);
      }
      one.at += link.latency;
    }
    std::ranges::sort(messages_, {}, &Message::at);
    receiving_ = now_;
    for (const Message& one : messages_) {
      const Link& link = one.leaves ? links_.network : links_.node;
      double& receiver = receiving_[index(one.to)];
      receiver = std::max(one.at, receiver + std::max(link.message, one.bytes * link.byte));
      there_[index(one.to)] = std::max(there_[index(one.to)], receiver);
    }
  }
  void end_round() { now_ = there_; }
  [[nodiscard]] double last() const { return std::ranges::max(now_); }

 private:
  struct Message {
    Rank from, to;
    double bytes;
    double at;
    bool leaves;
  };
  const Links& links_;
  const Nodes* nodes_;
  std::vector<double> now_, sending_, receiving_, there_, out_;
  std::vector<Message> messages_;
};

/// Walks every message of every round, except messages for which `bytes` returns a negative number.
void walk(const Algorithm& algorithm, const Place& place, Clocks& clocks, const std::function<double(Rank, const Send&)>& bytes,
          const std::function<void()>& round_over) {
  const Count rounds = algorithm.rounds(place);
  for (Count k = 0; k < rounds; ++k) {
    clocks.begin_round();
    for (Rank rank = 0; rank < place.ranks; ++rank) {
      const Round round = algorithm.round(place, rank, k);
      for (const Send& one : round.sends) {
        const double load = bytes(rank, one);
        if (load >= 0) clocks.message(rank, one.to, load);
      }
    }
    clocks.deliver();
    round_over();
    clocks.end_round();
  }
}

/// Sums over intervals, which may go around the end, in the order of ranks or by node.
class Sums {
 public:
  Sums(std::span<const Bytes> volumes, const Nodes* nodes) : volumes_(volumes), before_(volumes.size() + 1, 0) {
    for (std::size_t i = 0; i < volumes.size(); ++i) {
      const auto place = static_cast<Rank>(i);
      before_[i + 1] = before_[i] + volumes[index(nodes != nullptr ? nodes->rank(place) : place)];
    }
  }
  [[nodiscard]] Bytes of(const Ranks& what) const {
    const std::size_t first = index(what.first);
    const std::size_t end = first + index(what.count());
    const std::size_t all = volumes_.size();
    return end <= all ? before_[end] - before_[first] : before_[all] - before_[first] + before_[end - all];
  }

 private:
  std::span<const Bytes> volumes_;
  std::vector<Bytes> before_;
};

}  // namespace

double estimate_allgatherv(const Candidate& choice, const Where& where, std::span<const Bytes> volumes, const Nodes* nodes) {
  const auto volume = [&](Rank of) { return volumes[index(of)]; };
  const schedule::Pieces pieces(where.ranks, std::max<Bytes>(choice.segment, 1), volume);
  const Place place{
      .ranks = where.ranks, .radix = choice.radix, .nodes = nodes, .pieces = choice.segment > 0 ? &pieces : nullptr};
  const Sums sums(volumes, choice.algorithm->by_node ? nodes : nullptr);
  Clocks clocks(where, nodes);
  walk(
      *choice.algorithm, place, clocks,
      [&](Rank, const Send& one) {
        Bytes bytes = 0;
        if (one.part.of == 1) {
          bytes = sums.of(one.what);
        } else {
          one.what.for_each([&](Rank origin) {
            const schedule::Window window = schedule::window(one.part, volume(origin), choice.segment);
            bytes += window.end - window.begin;
          });
        }
        return bytes > 0 ? static_cast<double>(bytes) : -1;
      },
      [] {});
  return clocks.last();
}

double estimate_alltoallv(const Candidate& choice, const Where& where, std::vector<std::vector<Flow>> flows,
                          const Nodes* nodes) {
  const Place place{
      .ranks = where.ranks, .radix = choice.radix, .reach = choice.reach, .stride = choice.stride, .nodes = nodes};
  Clocks clocks(where, nodes);
  if (choice.algorithm->independent) {
    clocks.begin_round();
    for (Rank rank = 0; rank < where.ranks; ++rank) {
      std::ranges::stable_sort(flows[index(rank)], {}, &Flow::bytes);
      for (const Flow& one : flows[index(rank)])
        if (one.to != rank && one.bytes > 0) clocks.message(rank, one.to, static_cast<double>(one.bytes));
    }
    clocks.deliver();
    clocks.end_round();
    return clocks.last();
  }

  constexpr double heading = 16;
  std::vector<std::vector<Flow>> come(flows.size());
  walk(
      *choice.algorithm, place, clocks,
      [&](Rank rank, const Send& one) {
        std::vector<Flow>& held = flows[index(rank)];
        double bytes = 0;
        const auto goes = [&](const Flow& flow) { return flow.to != rank && one.what.contains(flow.to); };
        const auto rest = std::stable_partition(held.begin(), held.end(), std::not_fn(goes));
        for (auto flow = rest; flow != held.end(); ++flow) {
          bytes += heading + static_cast<double>(flow->bytes);
          come[index(one.to)].push_back(*flow);
        }
        held.erase(rest, held.end());
        return bytes;
      },
      [&] {
        for (Rank rank = 0; rank < where.ranks; ++rank) {
          std::vector<Flow>& fresh = come[index(rank)];
          double ns = 0;
          for (const Flow& one : fresh) ns += where.links->block + static_cast<double>(one.bytes) * where.links->copy;
          clocks.work(rank, ns);
          flows[index(rank)].insert(flows[index(rank)].end(), fresh.begin(), fresh.end());
          fresh.clear();
        }
      });
  return clocks.last();
}

}  // namespace heddle::select
