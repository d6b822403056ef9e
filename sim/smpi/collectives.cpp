// sim/smpi/collectives.cpp
#include "smpi/collectives.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <stdexcept>

#include "engine/collective/gathering.hpp"
#include "engine/exchange/routed.hpp"
#include "schedule/algorithms.hpp"
#include "smpi/blocks.hpp"
#include "smpi/messages.hpp"

namespace heddle::sim {
namespace {

/// Bytes. One process holds the data of all ranks.
constexpr double most_memory = 3e9;

std::byte value(Rank of) { return static_cast<std::byte>(of * 37 + 11); }

class Alltoallv final : public Collective {
 public:
  Alltoallv(Stage& stage, Rank me)
      : stage_(stage), me_(me), bytes_(stage.task.bytes), out_(size(bytes_), value(me)), in_(stage.checked ? all() : 0) {}

  void run() override {
    if (stage_.plan.choice.algorithm == &schedule::alltoallv_round_robin) return everybody();
    const auto partners = static_cast<int>(stage_.away.size());
    Blocks blocks(2 * partners);
    engine::Exchange exchange(blocks, me_, partners, partners);
    if (!exchange) throw std::bad_alloc();
    for (std::size_t i = 0; bytes_ > 0 && i < stage_.away.size(); ++i) {
      blocks.put(exchange.receive(source(i), 0, bytes_), place(i));
      blocks.put(exchange.send(at(stage_.away[i]), 0, bytes_), out_.data());
    }
    int error = 0;
    if (stage_.plan.bundles)
      error = run_routed(exchange, blocks);
    else
      exchange.start(true);
    exchange.advance(true);
    if (error != 0 || exchange.error() != 0) throw std::runtime_error("an exchange has gone wrong");
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

  /// Round-robin, as in a library that sends to all ranks. Heddle does not use it.
  void everybody() {
    std::size_t next = 0;
    for (Rank distance = 1; distance < stage_.task.ranks; ++distance) {
      const bool partner = bytes_ > 0 && next < stage_.away.size() && stage_.away[next] == distance;
      const int count = partner ? static_cast<int>(bytes_) : 0;
      std::array<MPI_Request, 2> requests{MPI_REQUEST_NULL, MPI_REQUEST_NULL};
      MPI_Irecv(partner ? place(next) : nullptr, count, MPI_BYTE, at(-std::int64_t{distance}), 0, MPI_COMM_WORLD, &requests[0]);
      MPI_Isend(out_.data(), count, MPI_BYTE, at(distance), 0, MPI_COMM_WORLD, &requests[1]);
      MPI_Waitall(2, requests.data(), MPI_STATUSES_IGNORE);
      if (partner) ++next;
    }
  }

  int run_routed(engine::Exchange& exchange, Blocks& blocks) {
    const settings::Router& wishes = stage_.plan.router;
    Messages messages(stage_.machine);
    engine::Routed routed(exchange, blocks, stage_.place, wishes.straight_from(),
                          {.segment = wishes.segment, .copies = wishes.copies, .algorithm = stage_.plan.choice.algorithm},
                          messages);
    messages.charge_for(routed.router());
    exchange.start(true);
    const int error = routed.run();
    spend(static_cast<double>(blocks.unpacked()) * stage_.machine.copy);
    return error;
  }

  Stage& stage_;
  Rank me_;
  Bytes bytes_;
  std::vector<std::byte> out_, in_;  ///< out_: the data for every partner. in_: the data from all partners.
};

class Allgatherv final : public Collective {
 public:
  Allgatherv(Stage& stage, Rank me) : stage_(stage), me_(me), memory_(static_cast<std::size_t>(stage.starts.back())) {
    fill(me);
  }

  void run() override {
    Messages line(stage_.machine);
    engine::Gathering gathering({.algorithm = stage_.plan.choice.algorithm, .place = stage_.place}, me_,
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
  if (plan.choice.algorithm->by_node) {
    std::vector<Rank> node;
    for (Rank rank = 0; rank < task.ranks; ++rank) node.push_back(machine.node_of(rank));
    place.nodes = &nodes.emplace(node);
  }
  const auto of_all = [&](double bytes) { return bytes * task.ranks; };
  if (task.gathers) {
    starts.push_back(0);
    for (Rank rank = 0; rank < task.ranks; ++rank) starts.push_back(starts.back() + volume(task, rank));
    if (plan.choice.segment > 0)
      place.pieces = &pieces.emplace(task.ranks, plan.choice.segment, [&](Rank of) { return volume(task, of); });
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
