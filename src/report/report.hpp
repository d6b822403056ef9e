// report/report.hpp: the report of a process: calls, bytes and times for each kind of call,
// datatype and way, and the memory of communicators. No MPI in this room. engine and mpi fill it,
// and `heddle report` reads it.
//
//   report.add("send", layout, select::name(scheme), bytes, times, caller);
//   report.add_communicator("MPI_Cart_sub", "stride", 300, 12, 60);
//   CallSite* site = report.site({"MPI_Send", place_of(return_address), "face", "MPI_COMM_WORLD"});
//   report.add_mailed(Mailed::blocking, 8);
//   write(path, merge(texts_of_all_ranks));                              // at the end, rank 0
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "layout/layout.hpp"
#include "report/call_site.hpp"
#include "report/late.hpp"
#include "report/log.hpp"
#include "report/times.hpp"

namespace heddle::report {

using layout::Bytes;
using layout::Count;

/// The fate of a short block that goes to a rank of the node without a message. A blocking call, or
/// a start of a persistent call, publishes it in a mailbox. Its sender may retract it: then it goes
/// as a message. Its reader may retract: it expected a message, but the block came without one.
enum class Mailed : std::uint8_t { blocking, persistent, retracted_by_sender, retracted_by_reader };

/// The report of one process. Safe for several threads.
class Report {
 public:
  /// Counts a call. `call` and `way` are literals: "send", "receive"; "bc-spup", "packed". Never
  /// throws: if memory is short, or beyond `most_rows` rows, the call counts as "other datatypes".
  /// @param caller  The program's call that it belongs to.
  /// @param why  Returns the reason for the way. Called for a row's first call.
  void add(const char* call, const layout::Layout& layout, const char* way, Bytes bytes, const Times& times,
           const Caller& caller = {}, const std::function<std::string()>& why = {}) noexcept;

  /// Counts a communicator that `call` has made, of `size` ranks (of the remote group, if there are
  /// two groups).
  /// @param kept  The format of its group.
  /// @param members, whole  Bytes of the members' description, and of all that is kept.
  /// 0 if another communicator already keeps them.
  void add_communicator(const char* call, std::string_view kept, int size, std::size_t members, std::size_t whole) noexcept;

  /// The call site of that name. It lives as long as the report. Beyond `most_rows`, all other
  /// sites of a procedure share one. Null: memory is short.
  CallSite* site(CallSite::Name name) noexcept;

  /// Counts a collective's algorithm. The caller adds the bytes that its calls move to the result.
  /// Null: memory is short.
  Chosen* add_algorithm(const Caller& caller, std::string_view algorithm) noexcept;

  /// Also prints each row, algorithm and call there. Null: nowhere. Call it before the first call
  /// of the program.
  void log_to(Log* log) noexcept { log_ = log; }
  [[nodiscard]] Log* log() const { return log_; }

  /// Sets the rank of this report, and the number of ranks. Beyond `most_peers` ranks, bytes are
  /// not counted by destination.
  void of_rank(int rank, int ranks);
  /// Counts bytes to a rank of MPI_COMM_WORLD.
  void add_sent(int rank, Bytes bytes) noexcept {
    if (const auto to = static_cast<std::size_t>(rank); to < sent_.size())
      sent_[to].fetch_add(bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] bool counts_peers() const { return !sent_.empty(); }

  /// Adds time that calls of a site waited for a rank, at the end of the program. Throws
  /// std::bad_alloc.
  void add_late(const Late& late);
  /// Counts messages that are not in the log of messages.
  void add_unlogged(std::size_t messages) noexcept { unlogged_ += messages; }

  /// Counts a thread that calls MPI.
  void add_thread() noexcept { threads_.fetch_add(1, std::memory_order_relaxed); }
  /// Threads that have called MPI.
  [[nodiscard]] int threads() const noexcept { return threads_.load(std::memory_order_relaxed); }

  /// Counts a block.
  void add_mailed(Mailed what, Bytes bytes) noexcept {
    auto& [blocks, sum] = mailed_[static_cast<std::size_t>(what)];
    blocks.fetch_add(1, std::memory_order_relaxed);
    sum.fetch_add(bytes, std::memory_order_relaxed);
  }

  /// Sets the time between MPI_Init and MPI_Finalize, the time on a core of all threads in it, and
  /// whether Heddle was on.
  void end(double ns, double cpu_ns, bool on) noexcept;

  /// The report of one rank, in the form that `heddle report` reads.
  [[nodiscard]] std::string to_json() const;

  static constexpr std::size_t most_rows = 2000;
  static constexpr int most_peers = 512;

 private:
  static constexpr const char* others = "other datatypes";
  struct Row {
    const Described* layout = nullptr;  // null: other datatypes
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    Times times;
    double longest_search = 0;  // ns, of one call: the first call analyses the datatype
    double blocks = 0;          // contiguous pieces
    std::string why;            // reason for the way of the first call
  };
  /// Layouts of the same bytes, extent and lower bound count as one datatype.
  struct Key {
    std::string call;
    std::string datatype;
    std::string way;
    std::string hash;
    const CallSite* site;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  struct Met {
    std::shared_ptr<const layout::ProgramNode> node;  // kept alive, so that no other node gets its address
    Described layout;
    Bytes size = 0;               // of an element
    double blocks = 0, more = 0;  // contiguous pieces of the first element, and of each further element
    /// Pieces of so many bytes of this datatype.
    [[nodiscard]] double blocks_of(Bytes bytes) const {
      const double elements = size > 0 ? static_cast<double>(bytes) / static_cast<double>(size) : 0;
      return elements <= 1 ? blocks * elements : blocks + more * (elements - 1);
    }
  };

  /// Communicators made by the same call, of the same size and form.
  struct CommunicatorGroup {
    std::string call;
    std::string kept;
    int size;
    std::size_t members;
    std::size_t whole;
    auto operator<=>(const CommunicatorGroup&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  struct Blocks {
    std::atomic<std::int64_t> blocks{0}, bytes{0};
  };

  /// The time that calls of a site waited, ns.
  struct LateTimes {
    std::array<double, cause_names.size()> by_cause{};
    std::map<int, double> by_rank{};
  };

  const Met& meet(const layout::Layout& layout);

  mutable std::mutex lock_;
  std::map<Key, Row> rows_;
  std::map<std::tuple<const layout::ProgramNode*, Bytes, Bytes, Bytes>, Met> met_;  // by node, origin, extent and lower bound
  Row other_;
  std::map<CommunicatorGroup, std::int64_t> communicators_;              // value: their number
  std::map<std::string, std::unique_ptr<CallSite>, std::less<>> sites_;  // key: all of their names
  std::map<std::pair<const CallSite*, std::string>, Chosen> algorithms_;
  std::map<const CallSite*, LateTimes> late_;
  std::size_t unlogged_ = 0;
  std::vector<std::atomic<std::int64_t>> sent_;  // to each rank
  std::atomic<int> threads_{0};
  int rank_ = 0;
  Log* log_ = nullptr;
  std::array<Blocks, 4> mailed_;  // index: Mailed
  double elapsed_us_ = 0;
  double cpu_us_ = 0;
  bool on_ = true;
};

/// Merges the reports of all ranks. It adds up rows of the same kind, and leaves out reports that
/// it cannot read.
/// @param about  Describes the run: an object in JSON.
std::string merge(std::span<const std::string> reports, const std::string& about = {});

/// Writes the file, whole or not at all. Returns an error ("cannot write FILE (why)"), or nothing.
std::string write(const std::string& path, const std::string& text);

}  // namespace heddle::report
