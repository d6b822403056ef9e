// engine/base/give_way.hpp: a waiting rank leaves its core to others.
//
// sched_yield leaves a core only to processes of the same scheduler group. MPICH's launcher gives
// each rank a session of its own. If Linux schedules by session (kernel.sched_autogroup_enabled),
// no other rank is in the group, and only sleep leaves the core to others.
#pragma once

namespace heddle::engine {

/// Cores that the ranks of this node share. A rank may be bound to a core of its own, so the cores
/// that its launcher may use count, too.
int cores_of_node() noexcept;
/// Ranks of this job on this node, as the launcher says; 0 if it does not say.
int ranks_of_node() noexcept;

/// True: sched_yield leaves the core to the other ranks.
bool yielding_helps() noexcept;

/// Sleeps 15 us, plus the timer's slack of mostly 50 us. Shorter naps of 8 ranks on 2 cores kept
/// the cores busy with waking up.
void nap() noexcept;
/// Sleeps so many us, plus the slack.
void nap(long us) noexcept;

}  // namespace heddle::engine
