// engine/file/plan.hpp: who moves which bytes of a file in a collective access. The range of the
// file that the ranks access is cut into domains, one for each owner. A domain is cut into pieces.
// In round r, each owner accesses piece r of its domain, and exchanges the bytes of this piece with
// the ranks that have them.
//
//   file       low                                                                  high
//              ├──────── domain of rank 0 ────────┼──────── domain of rank 1 ────────┤
//   pieces     │  round 0  │  round 1  │  round 2 │  round 0  │  round 1  │  round 2 │
//
//   const Plan plan(accesses, views, {.owners = 2, .piece = 4 << 20, .alignment = 4096}, me);
//   for (const Round& round : plan.rounds()) ...        // the same number on all ranks
//
// All ranks compute their plans from the same facts, so no rank has to ask another. A plan
// takes O(ranks · rounds) seeks.
#pragma once

#include <span>
#include <vector>

#include "engine/file/view.hpp"

namespace heddle::engine::files {

/// The bytes that a rank accesses, in the stream of its view (view.hpp).
struct Accessed {
  Bytes from = 0;
  Bytes length = 0;
};

/// A range of offsets in a file.
struct FileRange {
  Bytes low = 0;
  Bytes high = 0;
  [[nodiscard]] Bytes bytes() const { return high - low; }
  bool operator==(const FileRange&) const = default;
};

/// From the first byte that a rank accesses to the last. Empty: there is none.
FileRange range_of(std::span<const Accessed> accesses, std::span<const View> views);

/// How a range is cut.
struct Cut {
  int owners = 1;       ///< 1 … ranks.
  Bytes piece = 1;      ///< The most bytes of a piece, a multiple of `alignment`.
  Bytes alignment = 1;  ///< Pieces begin at multiples of it.
};

/// The user's wishes: HEDDLE_FILES, and hints of MPI_File_open. All ranks have the same.
struct FileHints {
  bool all = false;           ///< Heddle carries little data, too (HEDDLE_FILES=on).
  bool tries = false;         ///< The first accesses in one piece decide about the next (HEDDLE_TRIALS).
  bool collective = false;    ///< The user asks for collective buffering, also of data in one piece.
  Bytes piece = 4 << 20;      ///< cb_buffer_size.
  int owners = 0;             ///< cb_nodes. 0: all ranks.
  Bytes alignment = 1 << 12;  ///< striping_unit.
};

/// Cuts a range of `range` > 0 bytes. All ranks together access `bytes` of them, overlaps counted.
Cut cut_of(const FileHints& hints, Bytes bytes, Bytes range, int ranks);

/// Bytes of one rank's stream that lie in a piece.
struct Part {
  int rank;     ///< In Round::owned: the rank that has the bytes. In Round::own: the owner.
  Bytes from;   ///< In the stream of the view of the rank that has the bytes.
  Bytes bytes;  ///< > 0.
  bool operator==(const Part&) const = default;
};

struct Round {
  FileRange piece;          ///< Of this rank. Empty: this rank owns none in this round.
  std::vector<Part> owned;  ///< The bytes of the piece, by rank.
  std::vector<Part> own;    ///< This rank's bytes, by owner.

  /// The bytes of the piece that ranks access. More than piece.bytes() if ranks overlap.
  [[nodiscard]] Bytes bytes() const;
};

class Plan {
 public:
  /// @param accesses  Of all ranks, as `views`.
  Plan(std::span<const Accessed> accesses, std::span<const View> views, const Cut& cut, int me);
  [[nodiscard]] const std::vector<Round>& rounds() const { return rounds_; }

 private:
  std::vector<Round> rounds_;
};

}  // namespace heddle::engine::files
