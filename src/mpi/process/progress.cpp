// mpi/process/progress.cpp: decides whether waiting ranks yield.
#include "mpi/process/progress.hpp"

#include "engine/base/give_way.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi::progress {
namespace {

constinit bool yields = false;

bool wanted() {
  const settings::Yield set = settings_of_process().yield;
  return set == settings::Yield::automatic ? engine::ranks_of_node() > engine::cores_of_node() : set == settings::Yield::on;
}

}  // namespace

void start() noexcept {
  if (yields || !wanted()) return;
  yields = begin_yielding();
  if (!yields) say_once_verbose("waiting ranks do not yield their core", "this MPI library cannot be told to");
}

void stop() noexcept {
  if (yields) end_yielding();
  yields = false;
  end_calling();
}

}  // namespace heddle::mpi::progress
