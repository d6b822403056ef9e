// mpi/process/progress.cpp: whether to yield.
#include "mpi/process/progress.hpp"

#include "engine/give_way.hpp"
#include "mpi/process/process.hpp"

namespace heddle::mpi::progress {
namespace {

constinit bool yields = false;

bool wanted() {
  switch (settings_of_process().yield) {
    case settings::Yield::on:
      return true;
    case settings::Yield::off:
      return false;
    case settings::Yield::automatic:
      break;
  }
  return engine::ranks_of_node() > engine::cores_of_node();
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
