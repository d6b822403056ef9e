// sim/model/task.hpp: one collective to be simulated: what is moved, by which algorithm. The estimator and the program for
// SimGrid read the same tasks, and choose alike. May include: machine.hpp, schedule/, select/, settings/.
//
//   const Task task = task_from({{"collective", "alltoallv"}, {"ranks", 4096}, {"bytes", 8}, {"algorithm",
//   "crystal:radix=4"}}); const Plan plan = plan_of(task, machine);              // "auto" has become an algorithm
//
// Algorithms are those of `heddle algorithms`; after a colon what HEDDLE_ROUTER says: crystal:copies is the original router.
// bruck knows how far partners are from each other. auto is what Heddle chooses, by-sum (allgatherv) what a library takes that
// goes by the sum of the volumes.
#pragma once

#include <optional>

#include "model/machine.hpp"
#include "select/collective/choose.hpp"
#include "settings/settings.hpp"

namespace heddle::sim {

struct Task {
  bool gathers = false;  ///< allgatherv; else alltoallv.
  Rank ranks = 2;
  Rank partners = 26;  ///< For alltoallv: the nearest on both sides of the ring ...
  Rank stride = 1;     ///< ... of ranks, every stride-th.
  Bytes bytes = 8;     ///< For each partner; of allgatherv: what rank 0 has.
  Bytes others = 8;    ///< For allgatherv: bytes of all other ranks.
  std::string algorithm = "auto";
  std::optional<settings::Router> router;
};
/// std::invalid_argument: with what is wrong, and what there is.
Task task_from(const Json& text);

/// The ranks after me, then the ranks before me: distances 1 ... ranks - 1 in the order in which Heddle sends.
std::vector<Rank> distances(const Task& task);

/// Of allgatherv.
inline Bytes volume(const Task& task, Rank of) { return of == 0 ? task.bytes : task.others; }

struct Plan {
  select::Way way;
  settings::Router router;
  bool bundles = false;   ///< By engine/router.hpp.
  schedule::Place place;  ///< Without nodes and pieces.

  [[nodiscard]] std::string name() const;
};
Plan plan_of(const Task& task, const Machine& machine);

}  // namespace heddle::sim
