// engine/give_way.hpp: a waiting rank leaves its core to others. May include nothing of Heddle.
//
// sched_yield leaves a core to whoever shares the scheduler's group. MPICH's launcher gives each rank a session of its own, and
// where Linux schedules by session (kernel.sched_autogroup_enabled) no other rank is in the group: there only sleep leaves it.
#pragma once

namespace heddle::engine {

/// Cores that the ranks of this node share. A rank that is bound to one core shares it with nobody: then what counts is what
/// its launcher may use.
int cores_of_node() noexcept;
/// Ranks of this job on this node, as the launcher says; 0 if it does not say.
int ranks_of_node() noexcept;

/// Whether sched_yield leaves the core to the other ranks.
bool yielding_helps() noexcept;

/// Sleeps 15 us and what the timer's slack adds, mostly 50. Shorter naps of 8 ranks on 2 cores were found to keep the cores
/// busy with waking up.
void nap() noexcept;
/// The same, but for so many us.
void nap(long us) noexcept;

}  // namespace heddle::engine
