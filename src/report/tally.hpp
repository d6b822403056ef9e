// report/tally.hpp: counts the data that one side of a collective packs into its staging buffer and
// unpacks from it. Without a report, this costs one branch.
//
//   tally.packs(type->layout(), bytes, [&] { type->to_wire(from, count, to); });
#pragma once

#include "report/reporting.hpp"

namespace heddle::report {

class Tally {
 public:
  /// @param call  The name of the procedure's family, a literal.
  explicit Tally(const char* call) noexcept : call_(call), reported_(call) {}
  ~Tally() { flush(); }
  Tally(const Tally&) = delete;
  Tally& operator=(const Tally&) = delete;

  /// Counts the bytes that `move` moves. Blocks of one datatype in a row count as one call.
  template <class Move>
  void packs(const layout::Layout& layout, layout::Bytes bytes, const Move& move) noexcept {
    count("packed", &Times::pack, layout, bytes, move);
  }
  template <class Move>
  void unpacks(const layout::Layout& layout, layout::Bytes bytes, const Move& move) noexcept {
    count("unpacked", &Times::copy, layout, bytes, move);
  }
  /// Call this before a counted datatype may be freed.
  void flush() noexcept {
    if (layout_) reported_.end(*layout_, way_, bytes_, [] { return std::string("the MPI library carries out the rest"); });
    layout_ = nullptr;
  }

 private:
  template <class Move>
  void count(const char* way, double Times::*part, const layout::Layout& layout, layout::Bytes bytes,
             const Move& move) noexcept {
    if (!of_process.load(std::memory_order_relaxed)) return move();
    if (&layout != layout_ || way != way_) {
      flush();
      reported_ = ReportedCall(call_, caller_);
      layout_ = &layout;
      way_ = way;
      bytes_ = 0;
    }
    const Stopwatch watch(reported_.times(), part);
    bytes_ += bytes;
    move();
  }

  const char* call_;
  Caller caller_ = caller();
  ReportedCall reported_;
  const layout::Layout* layout_ = nullptr;
  const char* way_ = nullptr;
  layout::Bytes bytes_ = 0;
};

}  // namespace heddle::report
