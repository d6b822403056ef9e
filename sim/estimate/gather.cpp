// sim/estimate/gather.cpp: estimates engine/collective/gathering.cpp round by round. A rank begins
// a round when it has received the messages of the round before.
#include <algorithm>

#include "estimate/estimate.hpp"
#include "estimate/traffic.hpp"
#include "schedule/nodes.hpp"
#include "schedule/pieces.hpp"

namespace heddle::sim {
namespace {

/// The estimate goes through about so many messages. If there are more, it covers only the first
/// rounds, and takes the others to be like them. In a ring, they are.
constexpr double most_in_rounds = 6e8;

class Gather {
 public:
  Gather(const Task& task, const Machine& machine, const Plan& plan)
      : task_(task),
        machine_(machine),
        algorithm_(*plan.choice.algorithm),
        traffic_(machine),
        place_(plan.place),
        pieces_(task.ranks, std::max<Bytes>(plan.choice.segment, 1), [&](Rank of) { return volume(task, of); }) {
    if (algorithm_.by_node) {
      std::vector<Rank> node;
      for (Rank rank = 0; rank < task.ranks; ++rank) node.push_back(machine.node_of(rank));
      nodes_.emplace(node);
      place_.nodes = &*nodes_;
    }
    if (plan.choice.segment > 0) place_.pieces = &pieces_;
  }

  Estimate run(const Plan& plan, const Progress& progress) {
    Estimate about{.plan = plan, .rounds = algorithm_.rounds(place_)};
    const auto affordable = static_cast<Count>(most_in_rounds / task_.ranks);
    about.walked = std::min(about.rounds, std::max<Count>(affordable, 64));
    now_.assign(index(task_.ranks), 0);
    last_ = now_;
    double half = 0;
    for (Count k = 0; k < about.walked; ++k) {
      round(k);
      if (k + 1 == about.walked / 2) half = std::ranges::max(now_);
      progress(static_cast<double>(k + 1) / static_cast<double>(about.walked));
    }
    const double end = std::max(std::ranges::max(now_), std::ranges::max(last_));
    const Count later = about.walked - about.walked / 2;
    about.ns = end + (about.rounds > about.walked
                          ? (end - half) / static_cast<double>(later) * static_cast<double>(about.rounds - about.walked)
                          : 0);
    const double part = static_cast<double>(about.rounds) / static_cast<double>(std::max<Count>(about.walked, 1)) / task_.ranks;
    about.messages = messages_ * part;
    about.bytes = bytes_ * part;
    return about;
  }

 private:
  struct Message {
    Rank from, to;
    float bytes;
    double start;
  };

  /// The set may wrap around the end of the memory. Then it has two pieces: one up to the end, and
  /// one from the beginning. Visits the bytes of each piece that is not empty.
  template <class Visit>
  void pieces(const schedule::Send& one, const Visit& visit) const {
    Bytes upper = 0;
    Bytes lower = 0;
    if (one.part.of > 1) {
      one.what.for_each([&](Rank origin) {
        const schedule::Window window = schedule::window(one.part, volume(task_, origin), pieces_.length());
        upper += window.end - window.begin;
      });
    } else if (one.what.total <= one.what.run) {
      const Rank before_end = std::min(one.what.total, one.what.modulo - one.what.first);
      upper = sum(one.what.first, before_end);
      lower = sum(0, one.what.total - before_end);
    } else {
      one.what.for_each([&](Rank origin) { upper += volume(task_, origin); });
    }
    if (upper > 0) visit(static_cast<double>(upper));
    if (lower > 0) visit(static_cast<double>(lower));
  }
  [[nodiscard]] Bytes sum(Rank first, Rank count) const {
    return count == 0 ? 0 : count * task_.others + (first == 0 ? task_.bytes - task_.others : 0);
  }

  void round(Count k) {
    traffic_.begin();
    under_way_.clear();
    sending_ = now_;
    for (Rank from = 0; from < task_.ranks; ++from) {
      const schedule::Round round = algorithm_.round(place_, from, k);
      const std::size_t before = under_way_.size();
      for (const schedule::Send& one : round.sends)
        pieces(one, [&](double bytes) {
          double& clock = sending_[index(from)];
          clock += traffic_.wire(from, one.to).send;
          under_way_.push_back({from, one.to, static_cast<float>(bytes), clock});
          bytes_ += bytes;
        });
      messages_ += static_cast<double>(under_way_.size() - before);
    }
    for (const Message& one : under_way_) traffic_.load(one.from, one.to, one.bytes, one.start);
    next_ = sending_;
    for (const Message& one : under_way_) {
      const bool eager = traffic_.eager(one.bytes);
      const double start = eager ? one.start : std::max(one.start, now_[index(one.to)]);
      const double there = traffic_.arrival({one.from, one.to, one.bytes, start});
      double& receiver = next_[index(one.to)];
      receiver = std::max(receiver, there) + (eager ? traffic_.wire(one.from, one.to).receive : 0);
      if (!eager) last_[index(one.from)] = std::max(last_[index(one.from)], there);
    }
    now_.swap(next_);
  }

  const Task& task_;
  const Machine& machine_;
  const schedule::Algorithm& algorithm_;
  Traffic traffic_;
  schedule::Place place_;
  schedule::Pieces pieces_;
  std::optional<schedule::Nodes> nodes_;
  std::vector<double> now_, next_, sending_, last_;
  std::vector<Message> under_way_;
  double messages_ = 0, bytes_ = 0;
};

}  // namespace

Estimate estimate_gather(const Task& task, const Machine& machine, const Plan& plan, const Progress& progress) {
  return Gather(task, machine, plan).run(plan, progress);
}

}  // namespace heddle::sim
