// sim/estimate/bundles.cpp: estimates engine/collective/router.cpp round by round: the blocks that
// each rank holds, their messages, and the copies. Long blocks travel directly
// (engine/exchange/routed.cpp), at the same time as the bundles.
#include <algorithm>

#include "estimate/estimate.hpp"
#include "estimate/traffic.hpp"
#include "schedule/nodes.hpp"

namespace heddle::sim {
namespace {

// Sizes in bytes, as in engine/collective/router.hpp.
constexpr double head = 16;
constexpr double heading = 16;             // one for each packet
constexpr double first_room = 8 << 10;     // the first message is at most so long
constexpr double by_reference = 32 << 10;  // packets of this size and longer are not copied into the bundle

/// All blocks have the same length, so a block is represented by its destination alone.
class Walk {
 public:
  Walk(const Task& task, const Machine& machine, const Plan& plan)
      : task_(task), machine_(machine), plan_(plan), traffic_(machine), place_(plan.place) {
    for (Rank rank = 0; rank < task.ranks; ++rank) node_.push_back(machine.node_of(rank));
    if (plan.choice.algorithm->by_node) {
      nodes_.emplace(node_);
      place_.nodes = &*nodes_;
    }
    beside_ = task.bytes >= plan.router.straight_from();
    if (!beside_) bytes_ = static_cast<double>(task.bytes);
    clocks_.resize(index(task.ranks));
  }

  Estimate run(const Progress& progress) {
    Estimate about{.plan = plan_, .rounds = plan_.choice.algorithm->rounds(place_)};
    fill();
    for (Count k = 0; k < about.rounds; ++k) {
      send(k);
      load();
      receive();
      progress(static_cast<double>(k + 1) / static_cast<double>(about.rounds));
    }
    // Each rank unpacks the bundles that it has received.
    for (Rank rank = 0; rank < task_.ranks; ++rank) {
      double& clock = clocks_[index(rank)].now;
      clock += static_cast<double>(held_[index(rank)].size()) * bytes_ * machine_.copy;
      if (beside_) clock = std::max(clock, straight_.done[index(rank)]);
      about.ns = std::max(about.ns, clock);
    }
    const double ranks = task_.ranks;
    about.walked = about.rounds;
    about.messages = messages_ / ranks;
    about.bytes = sent_ / ranks;
    about.copied = copied_ / ranks;
    return about;
  }

 private:
  struct Clock {
    double now = 0;     ///< The rank begins the round.
    double begun = 0;   ///< It has started all its sends.
    double last = 0;    ///< Its last rendezvous send has arrived.
    double opened = 0;  ///< It has read the first messages, and posts receives for the rest.
    double there = 0;   ///< It has received all messages.
    double taking = 0;  ///< Time (not a date) to copy the received packets out of their bundles.
  };
  struct Message {
    Rank from, to;
    bool first;
    float bytes;
    double start;
  };

  void fill() {
    const std::vector<Rank> away = distances(task_);
    held_.resize(index(task_.ranks));
    come_.resize(index(task_.ranks));
    if (beside_) {
      straight_ = straight(task_, machine_);
      const auto partners = static_cast<double>(away.size());
      messages_ += partners * task_.ranks;
      sent_ += partners * static_cast<double>(task_.bytes) * task_.ranks;
    }
    for (Rank rank = 0; rank < task_.ranks; ++rank) {
      Clock& clock = clocks_[index(rank)];
      if (beside_) clock.now = straight_.begun[index(rank)];
      if (beside_ || task_.bytes == 0) continue;
      held_[index(rank)].reserve(away.size());
      for (const Rank distance : away)
        held_[index(rank)].push_back(schedule::around(rank + std::int64_t{distance}, task_.ranks));
      if (plan_.router.copies) copied(clock.now, static_cast<double>(away.size()) * bytes_);
    }
  }

  void copied(double& clock, double bytes) {
    clock += bytes * machine_.copy;
    copied_ += bytes;
  }

  /// Cuts a bundle of `total` bytes into messages: the first one, then the segments of each
  /// channel. `ends_` gets the offsets at which they end.
  void cut(double total, int channels) {
    ends_.assign(1, std::min(total, first_room));
    const double rest = total - first_room;
    if (rest <= 0) return;
    const double step = plan_.router.segment > 0 ? static_cast<double>(plan_.router.segment) : 1 << 30;
    const double part = std::ceil(rest / channels);
    for (int channel = 0; channel < channels; ++channel)
      for (double at = channel * part; at < std::min(rest, (channel + 1) * part); at += step)
        ends_.push_back(first_room + std::min({at + step, (channel + 1) * part, rest}));
  }

  void send(Count k) {
    traffic_.begin();
    messages_of_round_.clear();
    for (Rank from = 0; from < task_.ranks; ++from) {
      const schedule::Round round = plan_.choice.algorithm->round(place_, from, k);
      Clock& clock = clocks_[index(from)];
      clock.begun = clock.last = clock.now;
      clock.taking = 0;
      std::vector<Rank>& held = held_[index(from)];
      for (const schedule::Send& one : round.sends) {
        if (one.part.index != 0) continue;
        const auto goes = std::partition(held.begin(), held.end(), [&](Rank to) { return !one.what.contains(to); });
        const auto packets = static_cast<double>(held.end() - goes);
        come_[index(one.to)].insert(come_[index(one.to)].end(), goes, held.end());
        held.erase(goes, held.end());
        bundle(from, one, packets, clock);
      }
    }
  }

  void bundle(Rank from, const schedule::Send& one, double packets, Clock& clock) {
    const double total = head + packets * (heading + bytes_);
    const double headings = head + packets * heading;
    const bool moved = bytes_ < by_reference || plan_.router.copies;
    clock.begun += packets * machine_.block;
    cut(total, static_cast<int>(one.part.of));
    const double filling = clock.begun;
    double packed = 0;  // bytes packed so far, in whole packets
    double at = 0;
    double own = 0;  // processor time for messages (o)
    for (const double end : ends_) {
      double needed = packets * bytes_;
      if (plan_.router.segment > 0 && bytes_ > 0)
        needed = std::min(needed, std::ceil(std::max(0.0, end - headings) / bytes_) * bytes_);
      packed = std::max(packed, needed);
      own += traffic_.wire(from, one.to).send;
      clock.begun = filling + own + (moved ? packed * machine_.copy : 0);
      messages_of_round_.push_back({from, one.to, at == 0, static_cast<float>(end - at), clock.begun});
      at = end;
    }
    if (moved) copied_ += packets * bytes_;
    messages_ += static_cast<double>(ends_.size());
    sent_ += total;
    arriving_.push_back({one.to, total > first_room ? first_room : 0, plan_.router.copies ? packets * bytes_ : 0});
  }

  void load() {
    for (const Message& one : messages_of_round_) traffic_.load(one.from, one.to, one.bytes, one.start);
  }

  /// Receives the first messages. When all of them are there, the ranks post the receives for the
  /// rest.
  void receive() {
    for (Clock& clock : clocks_) clock.opened = clock.begun;
    bring(true);
    for (const Arriving& one : arriving_) {
      Clock& clock = clocks_[index(one.to)];
      copied(clock.opened, one.first);
      clock.taking += one.taken * machine_.copy;
      copied_ += one.taken;
    }
    arriving_.clear();
    for (Clock& clock : clocks_) clock.there = clock.opened;
    bring(false);
    for (Rank rank = 0; rank < task_.ranks; ++rank) {
      Clock& clock = clocks_[index(rank)];
      clock.now = std::max(clock.there + clock.taking, clock.last);
      std::vector<Rank>& held = held_[index(rank)];
      std::vector<Rank>& come = come_[index(rank)];
      held.insert(held.end(), come.begin(), come.end());
      come.clear();
    }
  }

  void bring(bool firsts) {
    struct Come {
      Rank to;
      float takes;
      double at;
    };
    std::vector<Come> come;
    for (const Message& one : messages_of_round_) {
      if (one.first != firsts) continue;
      const bool eager = traffic_.eager(one.bytes);
      const Clock& receiver = clocks_[index(one.to)];
      const double posted = firsts ? receiver.now : receiver.opened;
      const double start = eager ? one.start : std::max(one.start, posted);
      const double there = traffic_.arrival({one.from, one.to, one.bytes, start});
      come.push_back({one.to, static_cast<float>(eager ? traffic_.wire(one.from, one.to).receive : 0), there});
      Clock& sender = clocks_[index(one.from)];
      if (!eager) sender.last = std::max(sender.last, there);
    }
    std::ranges::sort(come, {}, &Come::at);
    for (const Come& one : come) {
      Clock& clock = clocks_[index(one.to)];
      double& at = firsts ? clock.opened : clock.there;
      at = std::max(at, one.at) + one.takes;
    }
  }

  struct Arriving {
    Rank to;
    double first;  ///< Bytes of the first message that are copied in front of the rest.
    double taken;  ///< Bytes that are copied out of the bundle.
  };

  const Task& task_;
  const Machine& machine_;
  const Plan& plan_;
  Traffic traffic_;
  schedule::Place place_;
  std::vector<Rank> node_;
  std::optional<schedule::Nodes> nodes_;
  bool beside_ = false;
  double bytes_ = 0;  ///< Bytes of a block in a bundle.
  Straight straight_;
  std::vector<Clock> clocks_;
  std::vector<std::vector<Rank>> held_, come_;  ///< Destinations of the blocks at each rank.
  std::vector<Message> messages_of_round_;
  std::vector<Arriving> arriving_;
  std::vector<double> ends_;
  double messages_ = 0, sent_ = 0, copied_ = 0;
};

}  // namespace

Estimate estimate_bundles(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress) {
  return Walk(task, machine, plan).run(progress);
}

}  // namespace heddle::sim
