// engine/give_way.hpp: a waiting rank leaves its core to others. May include nothing of Heddle.
//
// sched_yield leaves a core to whoever shares the scheduler's group. MPICH's launcher gives each rank a session of its own, and
// where Linux schedules by session (kernel.sched_autogroup_enabled) no other rank is in the group: there only sleep leaves it.
#pragma once

namespace heddle::engine {

/// Whether sched_yield leaves the core to the other ranks.
bool yielding_helps() noexcept;

/// Sleeps some 15 us, without the 50 us that Linux may add to a sleep (the thread's timer slack, which is as before
/// afterwards).
void nap() noexcept;

}  // namespace heddle::engine
