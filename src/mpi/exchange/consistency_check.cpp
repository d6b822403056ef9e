// mpi/exchange/consistency_check.cpp: an allgather of each rank's decision in words. A later call
// may end it.
#include "mpi/exchange/consistency_check.hpp"

#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>

#include "mpi/process/process.hpp"

namespace heddle::mpi {

Comparison::Comparison(ShadowComm& own, const Decision& mine)
    : me_(own.me()), mine_(select::text_of(mine, own.count_call())), all_(static_cast<std::size_t>(own.ranks())) {
  constexpr int bytes = sizeof(select::DecidedText);
  PMPI_Iallgather(mine_.data(), bytes, MPI_BYTE, all_.data(), bytes, MPI_BYTE, own.comm(), &request_);
}

std::unique_ptr<Comparison> Comparison::begun(ShadowComm& own, const Decision& mine) noexcept try {
  if (!settings_of_process().check) return nullptr;
  return std::unique_ptr<Comparison>(new Comparison(own, mine));
} catch (const std::bad_alloc&) {
  end_job("no memory to compare what ranks do (HEDDLE_CHECK), which the others wait for.");
  return nullptr;
}

Comparison::~Comparison() { PMPI_Wait(&request_, MPI_STATUS_IGNORE); }

bool Comparison::over(bool wait) noexcept {
  if (request_ == MPI_REQUEST_NULL) return true;
  int done = 1;
  if (wait)
    PMPI_Wait(&request_, MPI_STATUS_IGNORE);
  else
    PMPI_Test(&request_, &done, MPI_STATUS_IGNORE);
  if (!done) return false;
  if (std::ranges::all_of(all_, [&](const select::DecidedText& text) { return text == mine_; })) return true;
  if (me_ != 0) sleep(2);  // rank 0 says it for all, if it gets here
  end_job(select::disagreement(all_).c_str());
  return true;
}

}  // namespace heddle::mpi
