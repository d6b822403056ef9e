// mpi/exchange/consistency_check.hpp: HEDDLE_CHECK compares the decisions of all ranks.
//
//   const select::Candidate choice = ...;                     // null algorithm: left to the host
//   check_consistency(*own, {"MPI_Allgatherv", choice});            // returns only if all ranks have come here with the same
//
//   comparison = Comparison::begun(*own, {"MPI_Iallgatherv", choice});   // in a call that must not wait; null: no check
//   if (comparison && !comparison->over(wait)) ...                    // in those that complete its request
//
// The ranks compare the call, the algorithm by which it is about to be carried out, and its number
// among the communicator's calls. If they differ, the job ends with a message that names the ranks.
// The comparison is a non-blocking gather of the host, also in blocking calls. So it detects a rank
// in a blocking call while another rank is in a non-blocking one.
#pragma once

#include <memory>
#include <vector>

#include "engine/exchange/choice.hpp"
#include "mpi/exchange/shadow_comm.hpp"
#include "mpi/process/process.hpp"
#include "report/reporting.hpp"
#include "select/collective/decided.hpp"

namespace heddle::mpi {

using Decision = select::Decided;

using engine::pair_by_pair;

class Comparison {
 public:
  static std::unique_ptr<Comparison> begun(ShadowComm& own, const Decision& mine) noexcept;
  /// Waits for the gather, which uses this object's memory.
  ~Comparison();
  Comparison(const Comparison&) = delete;
  Comparison& operator=(const Comparison&) = delete;

  bool over(bool wait) noexcept;

 private:
  Comparison(ShadowComm& own, const Decision& mine);

  int me_;
  select::DecidedText mine_;
  std::vector<select::DecidedText> all_;
  MPI_Request request_ = MPI_REQUEST_NULL;
};

inline void check_consistency(ShadowComm& own, const Decision& mine) noexcept {
  report::tell_of_algorithm(mine.choice.algorithm ? mine.choice.algorithm->name : std::string_view());
  if (!settings_of_process().check) return;
  if (const auto comparison = Comparison::begun(own, mine)) comparison->over(true);
}

}  // namespace heddle::mpi
