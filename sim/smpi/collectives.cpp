// sim/smpi/collectives.cpp
#include "smpi/collectives.hpp"

#include <mpi.h>

#include <algorithm>
#include <cstring>

#include "engine/gathering.hpp"
#include "engine/router.hpp"
#include "schedule/algorithms.hpp"
#include "smpi/messages.hpp"

namespace heddle::sim {
namespace {

/// Of one process that is all ranks.
constexpr double most_memory = 3e9;

constexpr int beside_tag = 1 << 20;  // beyond those of messages.hpp

std::byte value(Rank of) { return static_cast<std::byte>(of * 37 + 11); }

class Alltoallv final : public Collective {
 public:
  Alltoallv(Stage& stage, Rank me)
      : stage_(stage), me_(me), bytes_(stage.task.bytes), out_(size(bytes_), value(me)), in_(stage.checked ? all() : 0) {}

  void run() override {
    if (stage_.plan.way.algorithm == &schedule::alltoallv_round_robin) return everybody();
    const bool beside = !stage_.plan.bundles || bytes_ >= straight_from(stage_.plan.router);
    std::vector<MPI_Request> requests;
    if (beside && bytes_ > 0) straight(requests);
    if (stage_.plan.bundles) route(beside);
    MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
  }

  [[nodiscard]] bool right() const override {
    if (!stage_.checked) return true;
    for (std::size_t i = 0; i < stage_.away.size(); ++i) {
      const std::byte wanted = value(source(i));
      const auto begin = in_.begin() + static_cast<Bytes>(i) * bytes_;
      if (std::any_of(begin, begin + bytes_, [&](std::byte is) { return is != wanted; })) return false;
    }
    return true;
  }

 private:
  static std::size_t size(Bytes bytes) { return static_cast<std::size_t>(bytes); }
  [[nodiscard]] std::size_t all() const { return stage_.away.size() * size(bytes_); }
  [[nodiscard]] Rank at(std::int64_t distance) const { return schedule::around(me_ + distance, stage_.task.ranks); }
  [[nodiscard]] Rank source(std::size_t i) const { return at(-std::int64_t{stage_.away[i]}); }
  std::byte* place(std::size_t i) { return stage_.checked ? in_.data() + i * size(bytes_) : stage_.shared.data(); }

  void begin_receive(std::size_t i, std::vector<MPI_Request>& requests) {
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Irecv(place(i), static_cast<int>(bytes_), MPI_BYTE, source(i), beside_tag, MPI_COMM_WORLD, &requests.back());
  }
  void begin_send(std::size_t i, std::vector<MPI_Request>& requests) {
    requests.push_back(MPI_REQUEST_NULL);
    MPI_Isend(out_.data(), static_cast<int>(bytes_), MPI_BYTE, at(stage_.away[i]), beside_tag, MPI_COMM_WORLD,
              &requests.back());
  }

  void straight(std::vector<MPI_Request>& requests) {
    requests.reserve(2 * stage_.away.size());
    for (std::size_t i = 0; i < stage_.away.size(); ++i) begin_receive(i, requests);
    for (std::size_t i = 0; i < stage_.away.size(); ++i) begin_send(i, requests);
  }

  void everybody() {
    std::size_t next = 0;
    std::vector<MPI_Request> requests;
    for (Rank distance = 1; distance < stage_.task.ranks; ++distance) {
      const bool partner = bytes_ > 0 && next < stage_.away.size() && stage_.away[next] == distance;
      if (partner) {
        begin_receive(next, requests);
        begin_send(next++, requests);
      } else {
        requests.resize(2, MPI_REQUEST_NULL);
        MPI_Irecv(nullptr, 0, MPI_BYTE, at(-std::int64_t{distance}), 0, MPI_COMM_WORLD, requests.data());
        MPI_Isend(nullptr, 0, MPI_BYTE, at(distance), 0, MPI_COMM_WORLD, &requests[1]);
      }
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      requests.clear();
    }
  }

  /// Blocks are in one piece: there is nothing to pack.
  class None final : public engine::Freight {
    void pack(std::size_t /*number*/, std::byte* /*to*/) override {}
  };

  void route(bool empty) {
    Messages messages(stage_.machine);
    None none;
    const settings::Router& wishes = stage_.plan.router;
    engine::Router router(stage_.place, me_,
                          {.segment = wishes.segment, .copies = wishes.copies, .algorithm = stage_.plan.way.algorithm},
                          messages, none);
    messages.charge_for(router);
    for (const Rank distance : stage_.away)
      if (!empty && bytes_ > 0) router.add(at(distance), bytes_, out_.data());
    router.run();
    spend(static_cast<double>(router.arrived().size()) * static_cast<double>(bytes_) * stage_.machine.copy);
    for (const engine::Router::Packet& packet : router.arrived()) {
      const Rank distance = schedule::around(me_ - std::int64_t{packet.from}, stage_.task.ranks);
      const auto i = static_cast<std::size_t>(std::ranges::lower_bound(stage_.away, distance) - stage_.away.begin());
      std::memcpy(place(i), packet.at, size(packet.bytes));
    }
  }

  Stage& stage_;
  Rank me_;
  Bytes bytes_;
  std::vector<std::byte> out_, in_;  ///< The same for all partners; of each of them.
};

class Allgatherv final : public Collective {
 public:
  Allgatherv(Stage& stage, Rank me) : stage_(stage), me_(me), memory_(static_cast<std::size_t>(stage.starts.back())) {
    fill(me);
  }

  void run() override {
    Messages line(stage_.machine);
    engine::Gathering gathering({.algorithm = stage_.plan.way.algorithm, .place = stage_.place}, me_,
                                {.memory = memory_.data(), .starts = stage_.starts.data()}, line);
    gathering.advance(true);
  }

  [[nodiscard]] bool right() const override {
    for (Rank of = 0; of < stage_.task.ranks; ++of)
      if (std::any_of(begin(of), begin(of + 1), [&](std::byte is) { return is != value(of); })) return false;
    return true;
  }

 private:
  [[nodiscard]] const std::byte* begin(Rank of) const { return memory_.data() + stage_.starts[static_cast<std::size_t>(of)]; }
  void fill(Rank of) { std::fill(const_cast<std::byte*>(begin(of)), const_cast<std::byte*>(begin(of + 1)), value(of)); }

  Stage& stage_;
  Rank me_;
  std::vector<std::byte> memory_;
};

}  // namespace

Stage::Stage(const Task& what, const Machine& where)
    : task(what), machine(where), plan(plan_of(task, machine)), away(distances(task)), place(plan.place) {
  if (plan.way.algorithm->by_node) {
    std::vector<Rank> node;
    for (Rank rank = 0; rank < task.ranks; ++rank) node.push_back(machine.node_of(rank));
    place.nodes = &nodes.emplace(node);
  }
  const auto of_all = [&](double bytes) { return bytes * task.ranks; };
  if (task.gathers) {
    starts.push_back(0);
    for (Rank rank = 0; rank < task.ranks; ++rank) starts.push_back(starts.back() + volume(task, rank));
    if (plan.way.segment > 0)
      place.pieces = &pieces.emplace(task.ranks, plan.way.segment, [&](Rank of) { return volume(task, of); });
  } else if (of_all(static_cast<double>(away.size()) * static_cast<double>(task.bytes)) > most_memory) {
    checked = false;
    shared.resize(static_cast<std::size_t>(task.bytes));
  }
}

std::unique_ptr<Collective> collective(Stage& stage, Rank me) {
  if (stage.task.gathers) return std::make_unique<Allgatherv>(stage, me);
  return std::make_unique<Alltoallv>(stage, me);
}

}  // namespace heddle::sim
