// sim/model/task.hpp: describes one collective to simulate: its data and its algorithm. The
// estimator and the program for SimGrid read the same tasks, and choose the same algorithms.
//
//   const Task task = task_from({{"collective", "alltoallv"}, {"ranks", 4096}, {"bytes", 8},
//                                {"algorithm", "crystal:radix=4"}});
//   const Plan plan = plan_of(task, machine);                     // replaces "auto" by an algorithm
//
// The algorithms are those of `heddle algorithms`. A colon and a value of HEDDLE_ROUTER may follow:
// crystal:copies is the original router. "bruck" knows the greatest distance between partners.
// "auto" is Heddle's choice. "by-sum" (allgatherv) is the choice of a library that decides by the
// sum of the volumes.
#pragma once

#include <optional>

#include "model/machine.hpp"
#include "select/collective/choose_collective.hpp"
#include "settings/settings.hpp"

namespace heddle::sim {

struct Task {
  bool gathers = false;  ///< True: allgatherv. False: alltoallv.
  Rank ranks = 2;
  Rank partners = 26;  ///< Partners of a rank (alltoallv): the nearest ranks on both sides of the ring of ranks.
  Rank stride = 1;     ///< Only every stride-th rank of the ring is a partner.
  Bytes bytes = 8;     ///< Bytes for each partner (alltoallv), or the bytes of rank 0 (allgatherv).
  Bytes others = 8;    ///< Bytes of each other rank (allgatherv).
  std::string algorithm = "auto";
  std::optional<settings::Router> router;
};
/// Reads a task. Throws std::invalid_argument, whose text names the mistake and the possible
/// values.
Task task_from(const Json& text);

/// Distances (1 ... ranks - 1) to the partners, ascending: first the ranks after me, then the ranks
/// before me. Heddle sends in this order.
std::vector<Rank> distances(const Task& task);

/// Bytes of a rank in an allgatherv.
inline Bytes volume(const Task& task, Rank of) { return of == 0 ? task.bytes : task.others; }

struct Plan {
  select::Candidate choice;
  settings::Router router;
  bool bundles = false;   ///< Blocks travel in bundles (engine/collective/router.hpp).
  schedule::Place place;  ///< Nodes and pieces are not set.

  [[nodiscard]] std::string name() const;
};
Plan plan_of(const Task& task, const Machine& machine);

}  // namespace heddle::sim
