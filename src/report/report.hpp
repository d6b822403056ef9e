// report/report.hpp: what happened: calls, bytes and times for each kind of call, datatype and way;
// what communicators cost. No MPI in this room. Written to by engine and mpi, read by `heddle
// report`.
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
#include <utility>
#include <vector>

#include "layout/layout.hpp"
#include "report/call_site.hpp"
#include "report/times.hpp"

namespace heddle::report {

using layout::Bytes;
using layout::Count;

/// What becomes of short blocks between ranks of a node that go without messages: published in a mailbox, by blocking calls or
/// by starts of persistent ones; or retracted, by their sender (they went as messages) or by their reader (they did not, though
/// it expected one).
enum class Mailed : std::uint8_t { blocking, persistent, retracted_by_sender, retracted_by_reader };

/// Of one process. Safe for several threads.
class Report {
 public:
  /// Counts a call. `call` and `way` are literals: "send", "receive"; "bc-spup", "packed". Never throws: without memory, or
  /// beyond `most_rows` rows, it is counted under "other datatypes". @param caller  By what of the program.
  /// @param why  Says why that way was taken; asked for a row's first call.
  void add(const char* call, const layout::Layout& layout, const char* way, Bytes bytes, const Times& times,
           const Caller& caller = {}, const std::function<std::string()>& why = {}) noexcept;

  /// Counts a communicator of `size` ranks (the remote ones, if there are two groups) that `call` has made.
  /// @param kept  The format of its group.
  /// @param members, whole  Bytes of what describes the members, and of all that is kept; 0 where another one has it already.
  void add_communicator(const char* call, std::string_view kept, int size, std::size_t members, std::size_t whole) noexcept;

  /// A place that calls, the same for the same name; it lives as long as the report. Beyond `most_rows`, one for all others
  /// of the procedure; null: no memory.
  CallSite* site(CallSite::Name name) noexcept;

  /// Which algorithm a collective has taken. What its calls have moved is added to what is returned; null: no memory.
  Chosen* add_algorithm(const Caller& caller, std::string_view algorithm) noexcept;

  /// Whose report this is, among how many. Beyond `most_peers`, nobody counts who sends to whom.
  void of_rank(int rank, int ranks);
  /// Counts bytes to a rank of MPI_COMM_WORLD.
  void add_sent(int rank, Bytes bytes) noexcept {
    if (const auto to = static_cast<std::size_t>(rank); to < sent_.size())
      sent_[to].fetch_add(bytes, std::memory_order_relaxed);
  }
  [[nodiscard]] bool counts_peers() const { return !sent_.empty(); }

  /// Counts a block.
  void add_mailed(Mailed what, Bytes bytes) noexcept {
    auto& [blocks, sum] = mailed_[static_cast<std::size_t>(what)];
    blocks.fetch_add(1, std::memory_order_relaxed);
    sum.fetch_add(bytes, std::memory_order_relaxed);
  }

  /// How long the program was between MPI_Init and MPI_Finalize, and whether Heddle was on.
  void end(double ns, bool on) noexcept;

  /// As `heddle report` reads it, for one rank.
  [[nodiscard]] std::string to_json() const;

  static constexpr std::size_t most_rows = 2000;
  static constexpr int most_peers = 512;

 private:
  struct Row {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    Times times;
    double longest_search = 0;  // ns, of one call: the first one looks at the datatype
    double blocks = 0;          // contiguous pieces
    std::string why;            // that way was taken, for the first call
  };
  /// Layouts that describe the same bytes are one datatype.
  struct Key {
    std::string call;
    std::string datatype;
    std::string way;
    const CallSite* site;
    auto operator<=>(const Key&) const = default;  // NOLINT(modernize-use-nullptr)
  };
  struct Met {
    std::shared_ptr<const layout::Node> node;  // kept: another one at its address would be taken for it
    std::string description;
    Bytes size = 0;               // of an element
    double blocks = 0, more = 0;  // contiguous pieces of the first element, of each further one
    /// Of so many bytes of this datatype.
    [[nodiscard]] double blocks_of(Bytes bytes) const {
      const double elements = size > 0 ? static_cast<double>(bytes) / static_cast<double>(size) : 0;
      return elements <= 1 ? blocks * elements : blocks + more * (elements - 1);
    }
  };

  /// Communicators of one kind.
  struct Kind {
    std::string call;
    std::string kept;
    int size;
    std::size_t members;
    std::size_t whole;
    auto operator<=>(const Kind&) const = default;  // NOLINT(modernize-use-nullptr)
  };

  struct Blocks {
    std::atomic<std::int64_t> blocks{0}, bytes{0};
  };

  const Met& meet(const layout::Layout& layout);

  mutable std::mutex lock_;
  std::map<Key, Row> rows_;
  std::map<std::pair<const layout::Node*, Bytes>, Met> met_;  // by node and extent
  Row others_;
  std::map<Kind, std::int64_t> communicators_;                           // how many
  std::map<std::string, std::unique_ptr<CallSite>, std::less<>> sites_;  // by all of their names
  std::map<std::pair<const CallSite*, std::string>, Chosen> algorithms_;
  std::vector<std::atomic<std::int64_t>> sent_;  // to each rank
  int rank_ = 0;
  std::array<Blocks, 4> mailed_;  // by Mailed
  double elapsed_us_ = 0;
  bool on_ = true;
};

/// One report of those of all ranks: rows of the same kind are added up. What cannot be read is left out.
/// @param about  What the run was, an object in JSON.
std::string merge(std::span<const std::string> reports, const std::string& about = {});

/// Writes the file, whole or not at all. Empty, or what went wrong ("cannot write FILE (why)").
std::string write(const std::string& path, const std::string& text);

}  // namespace heddle::report
