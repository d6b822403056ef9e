#include "support/ranks.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <string>

#include "support/pmpi_spy.hpp"

namespace heddle::test {
namespace {

std::uint32_t seed = 0;

/// Waits for all ranks of the job without taking a core from ranks that still work.
void quiet_barrier() {
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Ibarrier(MPI_COMM_WORLD, &request);
  for (int done = 0; !done; usleep(200)) PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
}

/// Prints failures only, each with its rank, and at the end one line from rank 0.
class RankPrinter : public testing::EmptyTestEventListener {
 public:
  explicit RankPrinter(int rank) : rank_(rank) {}
  void OnTestPartResult(const testing::TestPartResult& result) override {
    if (!result.failed()) return;
    std::fprintf(stderr, "[rank %d] %s\n%s:%d: %s\n", rank_, name_.c_str(), result.file_name() ? result.file_name() : "?",
                 result.line_number(), result.message());
  }
  void OnTestStart(const testing::TestInfo& test) override {
    // asking for the name during a failure would deadlock
    name_ = std::string(test.test_suite_name()) + "." + test.name();
    if (rank_ == 0) std::printf("%s\n", name_.c_str());
    std::fflush(stdout);
  }
  void OnTestEnd(const testing::TestInfo&) override { quiet_barrier(); }

 private:
  int rank_;
  std::string name_;
};

#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40200000 && !defined(MPI_ABI)
// MPICH spins while it waits. If ranks outnumber cores, they then wait for each other's time
// slices.
int yield(MPIX_Async_thing thing) {
  return *static_cast<bool*>(MPIX_Async_get_state(thing)) ? MPIX_ASYNC_DONE : (sched_yield(), MPIX_ASYNC_NOPROGRESS);
}
#define HOST_YIELD_HOOK 1
#endif
[[maybe_unused]] bool leaving = false;

/// Numbers of ranks for which others stand: 5 is odd, too, and 8 needs as many rounds. A job of
/// more ranks than cores is slow. tests/schedule runs each schedule with all numbers.
bool left_out(int ranks) { return ranks == 7 || (ranks > 9 && ranks != 12 && ranks != 16); }

}  // namespace

void with_ranks(int lowest, int highest, const std::function<void(const Team&)>& body) {
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  if (lowest > size) {
    GTEST_SKIP() << "needs " << lowest << " ranks";
  }
  const int last = std::min(highest, size);
  for (int n = lowest; n <= last; ++n) {
    if (n < last && left_out(n)) continue;
    MPI_Comm comm = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank < n ? 0 : MPI_UNDEFINED, rank, &comm);
    if (comm != MPI_COMM_NULL) {
      SCOPED_TRACE("with " + std::to_string(n) + " ranks, TEST_SEED=" + std::to_string(seed));
      body({comm, rank, n});
      MPI_Comm_free(&comm);
    }
    quiet_barrier();
  }
}

std::uint32_t run_seed() { return seed; }

int rounds(int usual) {
  const char* wanted = std::getenv("TEST_ROUNDS");
  return wanted ? std::atoi(wanted) : usual;
}

int error_class(int code) {
  int result = MPI_SUCCESS;
  MPI_Error_class(code, &result);
  return result;
}

}  // namespace heddle::test

int main(int argc, char** argv) {
  using namespace heddle::test;
  testing::InitGoogleTest(&argc, argv);
  int provided = 0;
  const bool one_thread = std::getenv("TEST_THREADS");  // as most programs: no locking, and rows are read late
  MPI_Init_thread(&argc, &argv, one_thread ? MPI_THREAD_FUNNELED : MPI_THREAD_MULTIPLE, &provided);
  int rank = 0, size = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
#if HOST_YIELD_HOOK
  // Heddle has a hook of its own
  if (expected() != Expected::on) MPIX_Async_start(yield, &leaving, MPIX_STREAM_NULL);
#endif
  if (rank == 0) {
    const char* wanted = std::getenv("TEST_SEED");
    seed = wanted ? static_cast<std::uint32_t>(std::strtoul(wanted, nullptr, 10)) : std::random_device{}();
    std::printf("%d ranks, TEST_SEED=%u\n", size, seed);
    std::fflush(stdout);
  }
  MPI_Bcast(&seed, 1, MPI_UINT32_T, 0, MPI_COMM_WORLD);
  auto& listeners = testing::UnitTest::GetInstance()->listeners();
  delete listeners.Release(listeners.default_result_printer());
  listeners.Append(new RankPrinter(rank));

  int failed = expectation_holds() ? 0 : 1;
  failed |= RUN_ALL_TESTS();
  if (testing::UnitTest::GetInstance()->test_to_run_count() == 0) failed = 1;  // the filter matches no test
  int anywhere = 0;
  MPI_Allreduce(&failed, &anywhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
  if (rank == 0) {
    const auto& all = *testing::UnitTest::GetInstance();
    std::printf("%s: %d tests, %d skipped\n", anywhere ? "FAILED" : "PASSED", all.test_to_run_count(),
                all.skipped_test_count());
    std::fflush(stdout);
  }
#if HOST_YIELD_HOOK
  leaving = true;
#endif
  MPI_Finalize();
  return anywhere;
}
