// engine/exchange/tags.hpp: all tags of messages of one shadow communicator.
//
//   0 ... 32757     blocking and non-blocking collectives, pair by pair: the number of the edge, if two ranks are neighbours
//                   several times. Schedules (engine/collective/channel.hpp) only need the order of messages: they have 0
//   32758           messages that settle mailboxes of blocking collectives (engine/exchange/pair_mailboxes.hpp)
//   32759           bundles of collectives (engine/exchange/routed.hpp)
//   32760, 32761    sparse exchanges: messages whose sender is known, bundles
//   32762, 32763    sparse exchanges by consensus, whose messages come from any rank: alternately
//   32764           no message's: a probe for it finds nothing, and lets the library make progress
//   32768 ...       persistent collectives: 256 for each, in turn
#pragma once

namespace heddle::engine::tags {

constexpr int schedule = 0;
constexpr int mailboxes = 32758;
constexpr int bundles = 32759;
constexpr int sparse_direct = 32760;
constexpr int sparse_bundles = 32761;
constexpr int consensus = 32762;
constexpr int nobodys = 32764;
constexpr int persistent = 1 << 15;
constexpr int persistent_each = 1 << 8;  ///< A rank is seldom a neighbour more often.

/// The first tag of the `number`-th persistent collective of a communicator. 0: there is no room
/// for any.
/// @param highest  The host's highest tag.
constexpr int of_persistent(int number, int highest) noexcept {
  const int many = (highest - persistent) / persistent_each;
  return many > 0 ? persistent + persistent_each * (number % many) : 0;
}

}  // namespace heddle::engine::tags
