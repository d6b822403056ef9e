// select/collective/algorithm_load.hpp: the load of an algorithm on ranks and nodes, and its time.
#pragma once

#include <string>

#include "schedule/schedule.hpp"
#include "select/collective/links.hpp"

namespace heddle::select {

using schedule::Algorithm;
using schedule::Bytes;
using schedule::Count;
using schedule::Rank;

/// The load of the busiest rank, or (on the network) of the busiest node.
struct Load {
  double rounds = 0;    ///< Rounds, one after the other.
  double messages = 0;  ///< Messages of all rounds, each way.
  double bytes = 0;     ///< Bytes, one after the other.
  bool stream = false;  ///< Rounds overlap: messages follow the first message through all rounds.
};

/// Where a collective runs. Equal on all ranks.
struct Where {
  Rank ranks = 1;
  Rank nodes = 1;
  Rank members = 1;     ///< Ranks of the fullest node.
  double crowding = 1;  ///< Ranks for each core, at least 1.
  Bytes mailboxes = 0;  ///< Shorter blocks need no messages within a node (mailbox_sizes.hpp).
  const Links* links = &builtin_links;
};

/// A candidate for a collective: an algorithm with its parameters, its load and its time.
struct Candidate {
  const Algorithm* algorithm = nullptr;
  int radix = 2;
  Rank reach = 0;     ///< Reach of Bruck's rounds (schedule::Place).
  Rank stride = 1;    ///< Stride of Bruck's rounds.
  Bytes segment = 0;  ///< Bytes of a pipeline's segment; 0: not cut.
  Load node{};
  Load network{};
  double blocks = 0;     ///< Blocks that a rank puts from bundle to bundle.
  double copied = 0;     ///< Bytes of these blocks.
  double work = 0;       ///< Bytes that a rank gets on average. They count if ranks share a core.
  double regrouped = 0;  ///< Rounds in which received blocks go into other bundles.
  double ns = 0;         ///< The whole time.
};

using Candidates = schedule::Few<Candidate, 16>;

/// Fills in `ns`.
Candidate timed(Candidate choice, const Where& where) noexcept;

/// The first candidate that is about as quick as the quickest. The model is no finer than that, so
/// simpler algorithms come first. Never empty.
Candidate quickest(const Candidates& candidates) noexcept;

/// "bruck of radix 4", "pipelined_ring in segments of 32 kB".
std::string title_of(const Candidate& choice);

/// "ring: 63 rounds of 63 messages, ..." and the quickest candidate of another algorithm. `about`
/// describes the data to move.
std::string explain(const Candidates& candidates, const std::string& about, const Where& where);

}  // namespace heddle::select
