// sim/smpi/collectives.hpp: one task carried out by this rank: Heddle's schedules and engine, with real data. May include:
// messages.hpp, model/.
//
//   static Stage stage(task, machine);           // shared by all ranks, who are threads of one process
//   Alltoallv mine(stage, me);
//   mine.run();                                  // takes simulated time
//   mine.wrong()                                 // bytes that are not what they ought to be
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

#include "model/task.hpp"
#include "schedule/nodes.hpp"
#include "schedule/pieces.hpp"

namespace heddle::sim {

/// The facts about a task that all ranks know.
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
  /// Too many bytes for own memory in each rank: all ranks write received data into this, and no rank reads it.
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
