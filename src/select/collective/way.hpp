// select/collective/way.hpp: what an algorithm would load on whom, in numbers; what that takes. May include: links.hpp,
// schedule/.
#pragma once

#include <string>

#include "schedule/schedule.hpp"
#include "select/collective/links.hpp"

namespace heddle::select {

using schedule::Algorithm;
using schedule::Bytes;
using schedule::Count;
using schedule::Rank;

/// Of the rank (of the network: of the node) that has most to do.
struct Load {
  double rounds = 0;    ///< One after the other.
  double messages = 0;  ///< In all rounds, each way.
  double bytes = 0;     ///< One after the other.
  bool stream = false;  ///< Rounds overlap: messages follow the first one through all of them.
};

/// Where a collective runs. Equal on all ranks.
struct Where {
  Rank ranks = 1;
  Rank nodes = 1;
  Rank members = 1;     ///< Ranks of the fullest node.
  double crowding = 1;  ///< Ranks for each core, 1 at least.
  Bytes mailboxes = 0;  ///< Shorter blocks need no messages within a node (mailboxes.hpp).
  const Links* links = &builtin_links;
};

/// One way a collective could take.
struct Way {
  const Algorithm* algorithm = nullptr;
  int radix = 2;
  Rank reach = 0;     ///< Of Bruck's rounds (schedule::Place).
  Rank stride = 1;    ///< Likewise.
  Bytes segment = 0;  ///< Pipelined ones: bytes of a segment; 0: not cut.
  Load node{};
  Load network{};
  double blocks = 0;     ///< Put from bundle to bundle, by a rank.
  double copied = 0;     ///< Bytes of these.
  double work = 0;       ///< Bytes that a rank gets, on average: what counts where ranks share a core.
  double regrouped = 0;  ///< Rounds in which what comes is put into other bundles.
  double ns = 0;         ///< All in all.
};

using Ways = schedule::Few<Way, 16>;

/// Fills in `ns`.
Way timed(Way way, const Where& where) noexcept;

/// The first of those that are about as quick as the quickest: the model is no finer, so the simpler ones come first. Never
/// empty.
Way quickest(const Ways& ways) noexcept;

/// "bruck of radix 4", "pipelined_ring in segments of 32 kB".
std::string title_of(const Way& way);

/// "ring: 63 rounds of 63 messages, ..." and the quickest of another algorithm. `about` says what was to be moved.
std::string explain(const Ways& ways, const std::string& about, const Where& where);

}  // namespace heddle::select
