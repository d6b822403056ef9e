// sim/smpi/collectives.hpp: carries out one task on this rank, by Heddle's schedules and engine,
// with real data.
//
//   static Stage stage(task, machine);     // shared by all ranks: they run in one process
//   const std::unique_ptr<Collective> mine = collective(stage, me);
//   mine->run();                           // takes simulated time
//   mine->right()                          // has the rank received the right bytes?
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "model/task.hpp"
#include "schedule/nodes.hpp"
#include "schedule/pieces.hpp"

namespace heddle::sim {

/// The parts of a task that all ranks share.
struct Stage {
  Stage(const Task& what, const Machine& where);

  Task task;
  const Machine& machine;
  Plan plan;
  std::vector<Rank> away;
  std::optional<schedule::Nodes> nodes;
  std::optional<schedule::Pieces> pieces;
  schedule::Place place;
  std::vector<Bytes> starts;  ///< The starts of the blocks of an allgatherv.
  /// False: the memory does not suffice for the received data of all ranks. Then all ranks receive
  /// into `shared`, and no rank reads it.
  bool checked = true;
  std::vector<std::byte> shared;
};

class Collective {
 public:
  Collective() = default;
  Collective(const Collective&) = delete;
  Collective& operator=(const Collective&) = delete;
  virtual ~Collective() = default;
  virtual void run() = 0;
  [[nodiscard]] virtual bool right() const = 0;
};

std::unique_ptr<Collective> collective(Stage& stage, Rank me);

}  // namespace heddle::sim
